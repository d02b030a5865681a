// Obtains the content encryption key of a received JWE with the recipient's key (RFC 7516 section 5.2 steps 7 to 12).
import type { ContentEncryption } from '../../../jose/content-encryption.ts';
import { carriesKey, type KeyManagement, type KeyTransport } from '../../../jose/key-management.ts';
import type { Key } from '../object/key.ts';
import type { OperationContext } from '../operation-context.ts';
import { findPrivateKey, findSecretKey } from './find-key.ts';
import { fitsKeyWrap, fitsOaep } from './fitting-key.ts';
import { agreedKey, agreementCurve, partyInformation, readEphemeral } from './key-agreement.ts';
import { KEY_WRAP, oaepBy, unwrap, unwrapBy } from './key-wrap.ts';
import { type Members, optionalOctets } from './members.ts';
import { badRequest } from './problem.ts';
import type { ReceivedHeader } from './protected-header.ts';
import { AGREE_BACK, DECRYPT_KEY, takeKey, UNWRAP } from './use.ts';

interface Received {
  readonly header: ReceivedHeader;
  readonly alg: KeyTransport;
  readonly enc: ContentEncryption;
  /** Empty if the message contains no key. */
  readonly encryptedKey: Uint8Array;
}

/** @throws Problem bad_request if it is missing, or present although the algorithm has none */
export function encryptedKeyOf(body: Members, alg: KeyManagement): Uint8Array {
  const encryptedKey = optionalOctets(body, 'encrypted_key') ?? Buffer.alloc(0);
  if (carriesKey(alg) && encryptedKey.length === 0) throw badRequest('missing member: encrypted_key');
  if (!carriesKey(alg) && encryptedKey.length > 0) throw badRequest('encrypted_key must be empty for this alg');
  return encryptedKey;
}

/**
 * @returns undefined if the encrypted key does not fit this key, or the result does not have the length that `enc` needs; the sender must not learn which
 * @throws Problem, Refusal
 */
export async function receivedKey(ctx: OperationContext, received: Received): Promise<Uint8Array | undefined> {
  const key = await decryptedKey(ctx, received);
  return key?.length === received.enc.keyLength ? key : undefined;
}

function decryptedKey(ctx: OperationContext, received: Received): Promise<Uint8Array | undefined> {
  switch (received.alg.mode) {
    case 'oaep':
      return oaep(ctx, received, received.alg.hash);
    case 'wrap':
      return unwrapReceived(ctx, received, received.alg.wrapLength);
    case 'agreement':
      return agreeReceived(ctx, received, received.alg.wrapLength);
  }
}

async function unwrapReceived(ctx: OperationContext, { header, encryptedKey }: Received, length: number): Promise<Uint8Array | undefined> {
  const object = await findSecretKey(ctx, header.kid, 'Decrypt', 'public');
  const key = await takeKey(ctx, object, UNWRAP, 0, fitsKeyWrap(length));
  return unwrapBy(key, KEY_WRAP, { data: encryptedKey });
}

async function oaep(ctx: OperationContext, { header, alg, encryptedKey }: Received, hash: Parameters<typeof oaepBy>[0]): Promise<Uint8Array | undefined> {
  const object = await findPrivateKey(ctx, header.kid, 'Decrypt');
  const key = await takeKey(ctx, object, DECRYPT_KEY, 0, fitsOaep(alg, ctx));
  return unwrapBy(key, oaepBy(hash), { data: encryptedKey });
}

async function agreeReceived(ctx: OperationContext, { header, alg, enc, encryptedKey }: Received, length: number | undefined): Promise<Uint8Array | undefined> {
  const parties = partyInformation(header.members);
  const object = await findPrivateKey(ctx, header.kid, 'Decrypt');
  const readSender = (key: Key) => readEphemeral(header.members['epk'], agreementCurve(key));
  const recipient = await takeKey(ctx, object, AGREE_BACK, 0, readSender);
  const sender = readSender(recipient);
  const agreedFor = (algorithm: string, bytes: number) => agreedKey(() => recipient.agree(sender), { algorithm, length: bytes, ...parties });
  if (length === undefined) return agreedFor(enc.name, enc.keyLength);
  return unwrap(await agreedFor(alg.name, length), encryptedKey);
}
