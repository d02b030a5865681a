// FF1 (NIST SP 800-38G, algorithms 7 and 8): uses AES to permute the strings of a given length over a radix.
import { createCipheriv, type KeyObject } from 'node:crypto';

const ROUNDS = 10;
const BLOCK = 16;

/** The values that all rounds for a text share. */
interface Feistel {
  readonly key: KeyObject;
  /** The first block P, then the tweak and its zero padding, up to the round number. */
  readonly prefix: Uint8Array;
  /** Length in bytes of half of the text as a number (b). */
  readonly numberBytes: number;
  /** Length in bytes of the output of the round function (d). */
  readonly roundBytes: number;
}

/**
 * @param key an AES key of any size
 * @param numerals at least two, each less than `radix`
 */
export function ff1(key: KeyObject, radix: number, tweak: Uint8Array, numerals: readonly number[], encrypting: boolean): number[] {
  const left = Math.floor(numerals.length / 2);
  const right = numerals.length - left;
  const base = BigInt(radix);
  const modulus = [base ** BigInt(left), base ** BigInt(right)] as const;
  const feistel = prepareRounds(key, radix, tweak, numerals.length, modulus[1]);
  let a = toNumber(numerals.slice(0, left), base);
  let b = toNumber(numerals.slice(left), base);
  for (let i = 0; i < ROUNDS; i++) {
    const round = encrypting ? i : ROUNDS - 1 - i;
    const m = modulus[round % 2 === 0 ? 0 : 1];
    if (encrypting) [a, b] = [b, (a + roundOutput(feistel, round, b)) % m];
    else [a, b] = [(((b - roundOutput(feistel, round, a)) % m) + m) % m, a];
  }
  return [...toNumerals(a, base, left), ...toNumerals(b, base, right)];
}

function prepareRounds(key: KeyObject, radix: number, tweak: Uint8Array, length: number, largest: bigint): Feistel {
  const numberBytes = Math.ceil((largest - 1n).toString(16).length / 2);
  const zeros = (2 * BLOCK - ((tweak.length + numberBytes + 1) % BLOCK)) % BLOCK;
  const prefix = Buffer.alloc(BLOCK + tweak.length + zeros);
  prefix.set([1, 2, 1]);
  prefix.writeUIntBE(radix, 3, 3);
  prefix.set([ROUNDS, Math.floor(length / 2) % 256], 6);
  prefix.writeUInt32BE(length, 8);
  prefix.writeUInt32BE(tweak.length, 12);
  prefix.set(tweak, BLOCK);
  return { key, prefix, numberBytes, roundBytes: 4 * Math.ceil(numberBytes / 4) + 4 };
}

/** Steps 6.i to 6.iv: R is the CBC-MAC of P and Q; S is R followed by as many blocks as `roundBytes` needs. */
function roundOutput({ key, prefix, numberBytes, roundBytes }: Feistel, round: number, half: bigint): bigint {
  const number = Buffer.from(half.toString(16).padStart(numberBytes * 2, '0'), 'hex');
  const name = `aes-${(key.symmetricKeySize ?? 0) * 8}`;
  const chained = createCipheriv(`${name}-cbc`, key, new Uint8Array(BLOCK)).update(Buffer.concat([prefix, Uint8Array.of(round), number]));
  const r = chained.subarray(-BLOCK);
  if (roundBytes <= BLOCK) return BigInt(`0x${r.toString('hex', 0, roundBytes)}`);
  const counters = Buffer.alloc((Math.ceil(roundBytes / BLOCK) - 1) * BLOCK);
  for (let at = 0; at < counters.length; at += BLOCK) {
    counters.set(r, at);
    const low = at + BLOCK - 4;
    counters.writeUInt32BE((counters.readUInt32BE(low) ^ (at / BLOCK + 1)) >>> 0, low);
  }
  const s = Buffer.concat([r, createCipheriv(`${name}-ecb`, key, null).update(counters)]);
  return BigInt(`0x${s.toString('hex', 0, roundBytes)}`);
}

function toNumber(numerals: readonly number[], base: bigint): bigint {
  return numerals.reduce((sum, numeral) => sum * base + BigInt(numeral), 0n);
}

function toNumerals(value: bigint, base: bigint, length: number): number[] {
  const out = new Array<number>(length).fill(0);
  for (let i = length - 1, rest = value; i >= 0; i--, rest /= base) out[i] = Number(rest % base);
  return out;
}
