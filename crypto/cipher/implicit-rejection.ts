// Removes the padding of RSAES-PKCS1-v1_5 so that nobody learns whether it was right: a wrong one gives bytes that depend on key and ciphertext only (draft-irtf-cfrg-rsa-guidance section 7).
import { createHmac } from 'node:crypto';
import { digestOf } from '../digest-name.ts';
import { mgf1 } from '../mask.ts';

/** 00 02, eight bytes at least that are not zero, and 00 (RFC 8017 section 7.2.1). */
const MIN_PADDING_BYTES = 11;
/** Two bytes each: so many that hardly any key and ciphertext have none that fits. */
const LENGTH_CANDIDATES = 128;

/**
 * What the private key makes of it is the secret of its rejections where the exponent cannot be read: a block that begins with zero, so that it is
 * less than any modulus of that length, and otherwise looks random, so that it is no ciphertext and nothing that anybody has signed.
 */
export const rejectionChallenge = (modulusBytes: number): Buffer =>
  Buffer.concat([Buffer.of(0), mgf1(digestOf('SHA_256'), Buffer.from('RSAES-PKCS1-v1_5 implicit rejection'), modulusBytes - 1)]);

/**
 * As OpenSSL does, which takes the SHA-256 of the private exponent as the secret. No branch and no place in memory depends on the block until its end.
 * @param block what the private key makes of the ciphertext, as long as the modulus; it is cleared
 * @param secret which only the holder of the private key has
 */
export function withoutPadding(block: Uint8Array, ciphertext: Uint8Array, secret: Uint8Array): Uint8Array {
  const key = createHmac('sha256', secret).update(ciphertext).digest();
  const synthetic = expanded(key, 'message', block.length);
  const syntheticLength = lengthFrom(expanded(key, 'length', 2 * LENGTH_CANDIDATES), block.length - MIN_PADDING_BYTES);
  let good = isZero(byteAt(block, 0)) & isZero(byteAt(block, 1) ^ 2);
  let looking = 1;
  let end = 0;
  for (let at = 2; at < block.length; at++) {
    const isEnd = looking & isZero(byteAt(block, at));
    end |= -isEnd & at;
    looking &= 1 - isEnd;
  }
  good &= 1 - isLess(end, MIN_PADDING_BYTES - 1);
  for (let at = 0; at < block.length; at++) synthetic[at] = chosen(good, byteAt(block, at), byteAt(synthetic, at));
  const message = new Uint8Array(synthetic.subarray(chosen(good, end + 1, block.length - syntheticLength)));
  for (const each of [key, synthetic, block]) each.fill(0);
  return message;
}

const byteAt = (bytes: Uint8Array, at: number): number => bytes[at] as number;
/** 1 or 0, of numbers that are not negative. */
const isZero = (value: number): number => (value - 1) >>> 31;
const isLess = (one: number, other: number): number => (one - other) >>> 31;
const chosen = (first: number, one: number, other: number): number => (-first & one) | (~-first & other);

/** The last candidate that is not more, each cut to the bits of the longest. */
function lengthFrom(candidates: Uint8Array, longest: number): number {
  const bits = 2 ** (32 - Math.clz32(longest + 1)) - 1;
  let length = 0;
  for (let at = 0; at < candidates.length; at += 2) {
    const candidate = ((byteAt(candidates, at) << 8) | byteAt(candidates, at + 1)) & bits;
    length = chosen(isLess(candidate, longest + 1), candidate, length);
  }
  return length;
}

/** IRPRF of the draft. */
function expanded(key: Uint8Array, label: string, bytes: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(bytes / 32) }, (_, at) =>
    createHmac('sha256', key)
      .update(twoBytes(at))
      .update(label)
      .update(twoBytes(8 * bytes))
      .digest(),
  );
  return Buffer.concat(blocks).subarray(0, bytes);
}

const twoBytes = (value: number): Buffer => Buffer.of(value >> 8, value & 0xff);
