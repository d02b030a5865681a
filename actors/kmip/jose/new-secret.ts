// Stores a symmetric key that the crypto API creates or imports, in the database or on a token.
import { randomBytes } from 'node:crypto';
import type { CryptographicAlgorithm } from '../../../crypto/parameters.ts';
import { type KeyPurpose, keyOperations } from '../../../jose/key-purpose.ts';
import type { AttributeSet } from '../../../kmip/attribute/set.ts';
import { symmetricKey } from '../../../kmip/key-block.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumeration, integer, type Structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { requireAllowed } from '../object/attributes/new-attributes.ts';
import { newObject } from '../object/create.ts';
import { createBrought, keeping } from '../object/kept-keys.ts';
import type { Place } from '../object/place.ts';
import type { OperationContext } from '../operation-context.ts';
import type { Members } from './members.ts';
import { attributesFor } from './new-attributes.ts';

const TYPE = ENUM.ObjectType.SymmetricKey;

interface NewSecret {
  readonly place: Place;
  /** The key of the client; undefined for a new one. */
  readonly given: Uint8Array | undefined;
  /** Bytes. */
  readonly length: number;
  readonly algorithm: CryptographicAlgorithm;
  readonly alg: string;
  readonly purpose: KeyPurpose;
}

/** @returns the JWK of the new key without its secret members @throws Refusal if the algorithm is disabled on this server */
export async function storeSecret(ctx: OperationContext, secret: NewSecret): Promise<Members> {
  const { place, given, algorithm, alg, purpose } = secret;
  requireAllowed(algorithm, ctx.server.args.algorithms);
  const mask = purpose.privateMask | purpose.publicMask;
  const attributes = attributesFor(ctx, mask, purpose);
  const content = await contentOf(ctx, secret, attributes);
  const { keeper } = place.source;
  await keeping(keeper, [place.id], () => {
    if (given) return createBrought(ctx, keeper, [newObject(ctx, { place, type: TYPE, content, attributes, brought: true })], 'key.import');
    const draft = newObject(ctx, { place, type: TYPE, content, attributes });
    return ctx.create((tx) => tx.create('key.create', draft));
  });
  return { kid: place.id, kty: 'oct', alg, key_ops: keyOperations(mask) };
}

/** @returns the key, or what remains of it where a token keeps it */
function contentOf(ctx: OperationContext, secret: NewSecret, attributes: AttributeSet): Structure | Promise<Structure> {
  const { place, given, length, algorithm } = secret;
  const { keeper } = place.source;
  if (!keeper) return symmetricKey(given ?? new Uint8Array(randomBytes(length)), algorithm);
  attributes.set(enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm[algorithm]));
  attributes.set(integer(TAG.CryptographicLength, length * 8));
  return given ? keeper.take(ctx, place.id, TYPE, symmetricKey(given, algorithm), attributes) : keeper.makeSecret(ctx, place.id, TYPE, attributes);
}
