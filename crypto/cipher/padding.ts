// Paddings of the last block that OpenSSL does not support: ANSI X9.23, ISO 10126 and zeros.
import { randomBytes } from 'node:crypto';

/** The padding methods of block ciphers; OpenSSL supports PKCS5 (PKCS #7) and None. */
export type BlockPadding = 'None' | 'PKCS5' | 'ANSIX9_23' | 'ISO10126' | 'Zeros';
export type ManualPadding = Exclude<BlockPadding, 'None' | 'PKCS5'>;

export function isBlockPadding(name: string): name is BlockPadding {
  return name === 'None' || name === 'PKCS5' || isManual(name);
}

export function isManual(name: string): name is ManualPadding {
  return name === 'ANSIX9_23' || name === 'ISO10126' || name === 'Zeros';
}

/** The padding for data of `length` bytes. For whole blocks, Zeros adds nothing, and the other methods add a block. */
export function padding(method: ManualPadding, length: number, blockBytes: number): Uint8Array {
  const missing = blockBytes - (length % blockBytes);
  if (method === 'Zeros') return new Uint8Array(missing % blockBytes);
  const bytes = method === 'ISO10126' ? Uint8Array.from(randomBytes(missing)) : new Uint8Array(missing);
  bytes[missing - 1] = missing;
  return bytes;
}

/**
 * The number of data bytes in the last block; undefined if the padding is wrong. Zeros cannot distinguish padding from data that ends
 * in zeros, and removes all zeros at the end of the last block.
 */
export function dataBytes(method: ManualPadding, last: Uint8Array, blockBytes: number): number | undefined {
  if (method === 'Zeros') return last.findLastIndex((byte) => byte !== 0) + 1;
  const count = last.at(-1) ?? 0;
  if (count === 0 || count > blockBytes || last.length !== blockBytes) return undefined;
  if (method === 'ANSIX9_23' && last.subarray(blockBytes - count, -1).some((byte) => byte !== 0)) return undefined;
  return blockBytes - count;
}
