// Decrypts: POST /v1/crypto/decrypt takes the parts of a JWE for one recipient (RFC 7516 section 5.2).
import { randomBytes } from 'node:crypto';
import type { ContentEncryption } from '../../../jose/content-encryption.ts';
import type { KeyManagement } from '../../../jose/key-management.ts';
import { USE } from '../object/life/usage.ts';
import type { OperationContext } from '../operation-context.ts';
import { additionalText, toAuthenticatedData } from './additional-data.ts';
import { base64url } from './base64url.ts';
import { findSecretKey } from './find-key.ts';
import { fitsContent } from './fitting-key.ts';
import { type Members, octets, text } from './members.ts';
import { contentEncryption, keyManagement } from './named-algorithm.ts';
import { badRequest } from './problem.ts';
import { type ReceivedHeader, receivedHeader } from './protected-header.ts';
import { encryptedKeyOf, receivedKey } from './received-key.ts';
import { type ContentKey, messageKey, open, type Sealed } from './sealing.ts';
import { takeKey } from './use.ts';

/** @throws Problem, Refusal */
export async function decrypt(body: Members, ctx: OperationContext): Promise<unknown> {
  const header = receivedHeader(body, 'unprotected', 'header');
  const alg = keyManagement(header.alg, 'header');
  const enc = contentEncryption(text(header.members, 'enc'), 'header');
  const sealed = sealedOf(body, enc);
  const aad = additionalText(body);
  const encryptedKey = encryptedKeyOf(body, alg);
  const key = await keyOf(ctx, header, alg, enc, encryptedKey);
  const plaintext = await open(enc, key, toAuthenticatedData({ encoded: header.encoded, octets: Buffer.from(header.encoded, 'latin1') }, aad), sealed);
  return { kid: header.kid, data: base64url(plaintext) };
}

async function keyOf(ctx: OperationContext, header: ReceivedHeader, alg: KeyManagement, enc: ContentEncryption, encryptedKey: Uint8Array): Promise<ContentKey> {
  if (alg.mode !== 'direct') {
    // A random key fails authentication of the content just as a wrong key does (RFC 7516 section 11.5).
    const key = (await receivedKey(ctx, { header, alg, enc, encryptedKey })) ?? randomBytes(enc.keyLength);
    return messageKey(enc, key);
  }
  const object = await findSecretKey(ctx, header.kid, 'Decrypt', 'public');
  return takeKey(ctx, object, USE.Decrypt, 0, fitsContent(enc));
}

function sealedOf(body: Members, enc: ContentEncryption): Sealed {
  const iv = octets(body, 'iv');
  const tag = octets(body, 'tag');
  if (iv.length !== enc.ivLength) throw badRequest(`iv must be ${enc.ivLength} bytes`);
  if (tag.length !== enc.tagLength) throw badRequest(`tag must be ${enc.tagLength} bytes`);
  return { iv, ciphertext: octets(body, 'ciphertext'), tag };
}
