// MGF1, the mask generation function of OAEP and PSS (RFC 8017 appendix B.2.1).
import { hash } from 'node:crypto';
import type { Digest } from './digest-name.ts';

/** @param length in bytes */
export function mgf1(digest: Digest, seed: Uint8Array, length: number): Buffer {
  const input = Buffer.alloc(seed.length + 4);
  input.set(seed);
  const mask = Buffer.alloc(Math.ceil(length / digest.length) * digest.length);
  for (let counter = 0; counter * digest.length < length; counter++) {
    input.writeUInt32BE(counter, seed.length);
    mask.set(hash(digest.name, input, 'buffer'), counter * digest.length);
  }
  return mask.subarray(0, length);
}

/** Changes `target`: XORs each byte with the byte of `mask` at the same position. */
export function xorInto(target: Uint8Array, mask: Uint8Array): void {
  for (let at = 0; at < target.length; at++) target[at] = (target[at] as number) ^ (mask[at] as number);
}
