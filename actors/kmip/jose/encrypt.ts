// Encrypts: POST /v1/crypto/encrypt answers the parts of a JWE for one recipient (RFC 7516 section 5.1).
import { constants, publicEncrypt, randomBytes } from 'node:crypto';
import { asymmetricKey } from '../object/key-material.ts';
import { USE } from '../object/usage.ts';
import type { OperationContext } from '../operation-context.ts';
import { additionalText, authenticated } from './additional-data.ts';
import { type ContentEncryption, type ContentKey, contentEncryption, contentKey, seal } from './content-encryption.ts';
import { findPublicKey, findSecretKey } from './find-key.ts';
import { directKey, rsaKey, wrappingKey } from './fitting-key.ts';
import { agreedKey, agreementCurve, ephemeralPair, partyInformation } from './key-agreement.ts';
import { type KeyManagement, keyManagement } from './key-management.ts';
import { wrap } from './key-wrap.ts';
import { type Members, octets, text } from './members.ts';
import { type ProtectedHeader, plainHeader, writeHeader } from './protected-header.ts';
import { AGREE, ENCRYPT_KEY, requireAndSpend, WRAP } from './use.ts';

interface Call {
  readonly kid: string;
  readonly alg: KeyManagement;
  readonly enc: ContentEncryption;
  readonly data: Uint8Array;
}

/** A content encryption key on its way to the recipient. */
interface Prepared {
  readonly header: ProtectedHeader;
  readonly key: ContentKey;
  readonly encryptedKey: string;
}

/** @returns the JWE with its protected header first @throws Problem, Refusal */
export async function encrypt(body: Members, ctx: OperationContext): Promise<unknown> {
  const kid = text(body, 'kid');
  const alg = keyManagement(text(body, 'alg'), 'body');
  const enc = contentEncryption(text(body, 'enc'), 'body');
  const data = octets(body, 'data');
  const aad = additionalText(body);
  const { header, key, encryptedKey } = await prepare(ctx, body, { kid, alg, enc, data });
  const { iv, ciphertext, tag } = seal(enc, key, authenticated(header, aad), data);
  const sealed = { protected: header.encoded, encrypted_key: encryptedKey, iv: base64url(iv), ciphertext: base64url(ciphertext), tag: base64url(tag) };
  return aad === undefined ? sealed : { ...sealed, aad };
}

function prepare(ctx: OperationContext, body: Members, call: Call): Promise<Prepared> {
  switch (call.alg.mode) {
    case 'direct':
      return direct(ctx, call);
    case 'oaep':
      return oaep(ctx, call, call.alg.hash);
    case 'wrap':
      return wrapped(ctx, call, call.alg.wrapLength);
    case 'agreement':
      return agreed(ctx, body, call, call.alg.wrapLength);
  }
}

async function direct(ctx: OperationContext, { kid, alg, enc, data }: Call): Promise<Prepared> {
  const object = await findSecretKey(ctx, kid, 'Encrypt', 'private');
  const key = directKey(object, enc);
  await requireAndSpend(ctx, object, USE.Encrypt, data.length);
  return { header: plainHeader(object, alg.name, enc.name), key, encryptedKey: '' };
}

async function wrapped(ctx: OperationContext, { kid, alg, enc, data }: Call, length: number): Promise<Prepared> {
  const object = await findSecretKey(ctx, kid, 'Encrypt', 'private');
  const wrapping = wrappingKey(object, length);
  await requireAndSpend(ctx, object, WRAP, data.length);
  const key = randomBytes(enc.keyLength);
  return { header: plainHeader(object, alg.name, enc.name), key: contentKey(enc, key), encryptedKey: base64url(wrap(wrapping, key)) };
}

async function oaep(ctx: OperationContext, { kid, alg, enc, data }: Call, oaepHash: string): Promise<Prepared> {
  const object = await findPublicKey(ctx, kid, 'Encrypt');
  const recipient = rsaKey(object);
  await requireAndSpend(ctx, object, ENCRYPT_KEY, data.length);
  const key = randomBytes(enc.keyLength);
  const encrypted = publicEncrypt({ key: recipient, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, key);
  return { header: plainHeader(object, alg.name, enc.name), key: contentKey(enc, key), encryptedKey: base64url(encrypted) };
}

async function agreed(ctx: OperationContext, body: Members, { kid, alg, enc, data }: Call, length: number | undefined): Promise<Prepared> {
  const parties = partyInformation(body);
  const object = await findPublicKey(ctx, kid, 'Encrypt');
  const recipient = asymmetricKey(object);
  const curve = agreementCurve(recipient);
  await requireAndSpend(ctx, object, AGREE, data.length);
  const { privateKey, epk } = ephemeralPair(curve);
  const header = writeHeader({ alg: alg.name, enc: enc.name, kid: object.id, epk, ...parties.encoded });
  const agreedFor = (algorithm: string, bytes: number) => agreedKey(privateKey, recipient, { algorithm, length: bytes, ...parties });
  if (length === undefined) return { header, key: contentKey(enc, agreedFor(enc.name, enc.keyLength)), encryptedKey: '' };
  const key = randomBytes(enc.keyLength);
  return { header, key: contentKey(enc, key), encryptedKey: base64url(wrap(agreedFor(alg.name, length), key)) };
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64url');
