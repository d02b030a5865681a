// RSAES-OAEP with a separate hash for the mask, which node:crypto does not support (RFC 8017 section 7.1).
import { constants, hash, type KeyObject, privateDecrypt, publicEncrypt, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Digest } from '../digest-name.ts';
import { mgf1, xorInto } from '../mask.ts';

export interface OaepScheme {
  readonly digest: Digest;
  readonly maskDigest: Digest;
  /** L, which KMIP calls the P source. */
  readonly label: Uint8Array;
}

const padding = constants.RSA_NO_PADDING;

/** The maximum number of bytes in one block. */
export const oaepCapacity = (modulusBytes: number, digest: Digest): number => modulusBytes - 2 * digest.length - 2;

/** @param message at most `oaepCapacity` bytes */
export function encryptOaep(key: KeyObject, { digest, maskDigest, label }: OaepScheme, message: Uint8Array): Buffer {
  const length = (key.asymmetricKeyDetails?.modulusLength ?? 0) / 8;
  const zeros = Buffer.alloc(oaepCapacity(length, digest) - message.length);
  const block = Buffer.concat([hash(digest.name, label, 'buffer'), zeros, Buffer.of(1), message]);
  const seed = randomBytes(digest.length);
  xorInto(block, mgf1(maskDigest, seed, block.length));
  xorInto(seed, mgf1(maskDigest, block, seed.length));
  const encoded = Buffer.concat([Buffer.of(0), seed, block]);
  const ciphertext = publicEncrypt({ key, padding }, encoded);
  encoded.fill(0);
  return ciphertext;
}

/**
 * Returns undefined if the padding is wrong. Checks all of the padding before it decides, without branches that depend on it,
 * so that nobody can learn from the timing what is wrong (RFC 8017 section 7.1.2, the note after step 3 g).
 * @param ciphertext must have the length of the modulus and must be less than the modulus
 */
export function decryptOaep(key: KeyObject, { digest, maskDigest, label }: OaepScheme, ciphertext: Uint8Array): Buffer | undefined {
  const encoded = privateDecrypt({ key, padding }, ciphertext);
  const seed = encoded.subarray(1, 1 + digest.length);
  const block = encoded.subarray(1 + digest.length);
  xorInto(seed, mgf1(maskDigest, block, seed.length));
  xorInto(block, mgf1(maskDigest, seed, block.length));
  const labelIsRight = timingSafeEqual(block.subarray(0, digest.length), hash(digest.name, label, 'buffer'));
  let bad = Number(!labelIsRight) | (encoded[0] as number);
  let looking = 1;
  let start = 0;
  for (let at = digest.length; at < block.length; at++) {
    const byte = block[at] as number;
    const isOne = ((byte ^ 1) - 1) >>> 31;
    const isZero = (byte - 1) >>> 31;
    start |= -(looking & isOne) & at;
    bad |= looking & (1 - isOne) & (1 - isZero);
    looking &= 1 - isOne;
  }
  bad |= looking;
  const message = Buffer.from(block.subarray(start + 1));
  encoded.fill(0);
  if (bad === 0) return message;
  message.fill(0);
  return undefined;
}
