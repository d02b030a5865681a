// Imports the key from a JWE: POST /v1/crypto/keys/unwrap stores its content encryption key as a new key for `dir`.
import { carriesKey } from '../../../jose/key-management.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { requireCreation } from '../object/create.ts';
import { placeFor } from '../object/place.ts';
import type { OperationContext } from '../operation-context.ts';
import { type Members, text } from './members.ts';
import { contentEncryption, keyManagement, refuse } from './named-algorithm.ts';
import { storeSecret } from './new-secret.ts';
import { decryptionFailed } from './problem.ts';
import { receivedHeader } from './protected-header.ts';
import { encryptedKeyOf, receivedKey } from './received-key.ts';

/** @throws Problem, Refusal */
export async function unwrapKey(body: Members, ctx: OperationContext): Promise<unknown> {
  const header = receivedHeader(body, 'unprotected', 'header');
  const alg = keyManagement(header.alg, 'header');
  if (!carriesKey(alg)) throw refuse('alg', header.alg, 'header');
  const enc = contentEncryption(text(header.members, 'enc'), 'header');
  const encryptedKey = encryptedKeyOf(body, alg);
  await requireCreation(ctx);
  const place = placeFor(ctx, { type: ENUM.ObjectType.SymmetricKey });
  const key = await receivedKey(ctx, { header, alg, enc, encryptedKey });
  if (!key) throw decryptionFailed();
  return storeSecret(ctx, { place, given: key, length: key.length, algorithm: 'AES', alg: enc.name, purpose: enc.purpose });
}
