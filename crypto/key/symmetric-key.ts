// Generates symmetric keys, and knows which lengths each algorithm allows.
import { randomBytes } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import type { CryptographicAlgorithm } from '../parameters.ts';

/** The values in bits that CryptographicLength may have, and the length of the material in bytes. */
interface Lengths {
  permits(bits: number): boolean;
  bytes(bits: number): number;
  readonly usual?: number;
}

const oneOf = (...lengths: readonly number[]): Lengths => ({
  permits: (bits) => lengths.includes(bits),
  bytes: (bits) => bits / 8,
  usual: lengths.at(-1) as number,
});
const between = (least: number, most: number, usual: number): Lengths => ({
  permits: (bits) => bits >= least && bits <= most && bits % 8 === 0,
  bytes: (bits) => bits / 8,
  usual,
});
/** Lengths with and without parity bits; the material always contains the parity bits. */
const withParity = (pairs: Readonly<Record<number, number>>, usual: number): Lengths => ({
  permits: (bits) => bits in pairs,
  bytes: (bits) => (pairs[bits] as number) / 8,
  usual,
});

/** A MAC key may have any length within reason. */
const mac = between(8, 16_384, 256);

const LENGTHS: Readonly<Partial<Record<CryptographicAlgorithm, Lengths>>> = {
  // 512 is for XTS with two keys of 256 bits (IEEE 1619); two keys of 128 bits make 256.
  AES: { ...oneOf(128, 192, 256, 512), usual: 256 },
  DES: withParity({ 56: 64, 64: 64 }, 56),
  DES3: withParity({ 112: 128, 128: 128, 168: 192, 192: 192 }, 168),
  Camellia: oneOf(128, 192, 256),
  ARIA: oneOf(128, 192, 256),
  Twofish: oneOf(128, 192, 256),
  SEED: oneOf(128),
  SM4: oneOf(128),
  IDEA: oneOf(128),
  SKIPJACK: oneOf(80),
  Blowfish: between(32, 448, 128),
  CAST5: between(40, 128, 128),
  MARS: between(128, 448, 256),
  RC2: between(8, 1_024, 128),
  RC4: between(40, 2_048, 128),
  RC5: between(8, 2_040, 128),
  GOST28147_89: oneOf(256),
  ChaCha20: oneOf(128, 256),
  ChaCha20Poly1305: oneOf(256),
  Poly1305: oneOf(256),
  FPE_FF1: oneOf(256),
  OneTimePad: between(8, 8_388_608, 256),
  // Clients use the name of the hash alone for salts and HMAC keys.
  SHA3_224: mac,
  SHA3_256: mac,
  SHA3_384: mac,
  SHA3_512: mac,
  SHAKE_128: mac,
  SHAKE_256: mac,
  HMAC_SHA1: mac,
  HMAC_SHA224: mac,
  HMAC_SHA256: mac,
  HMAC_SHA384: mac,
  HMAC_SHA512: mac,
  HMAC_MD5: mac,
};

function lengthsOf(algorithm: CryptographicAlgorithm): Lengths {
  const known = LENGTHS[algorithm];
  if (known) return known;
  if (algorithm.startsWith('HMAC_')) return mac;
  throw new CryptoError('invalid', `symmetric keys of ${algorithm} are not supported`);
}

/** @param bits CryptographicLength; by default the usual one of the algorithm @throws CryptoError invalid that shows the length */
export function checkedLength(algorithm: CryptographicAlgorithm, bits: number | undefined): number {
  const lengths = lengthsOf(algorithm);
  const length = bits ?? (lengths.usual as number);
  if (!lengths.permits(length)) throw new CryptoError('invalid', `${length} is not a valid CryptographicLength for ${algorithm}`);
  return length;
}

/** Generates random key material. @param bits a length that was checked with `checkedLength` */
export function generateKey(algorithm: CryptographicAlgorithm, bits: number): Uint8Array {
  const material = new Uint8Array(randomBytes(lengthsOf(algorithm).bytes(bits)));
  if (algorithm === 'DES' || algorithm === 'DES3') for (const [at, byte] of material.entries()) material[at] = oddParity(byte);
  return material;
}

/** The length of key material in bytes. @param bits CryptographicLength @throws CryptoError invalid if the algorithm does not have this length */
export function materialLength(algorithm: CryptographicAlgorithm, bits: number): number {
  return lengthsOf(algorithm).bytes(checkedLength(algorithm, bits));
}

/**
 * The length in bytes of material that is derived for a key: with parity bits where the algorithm has them. Clients derive keys of lengths that
 * their algorithm does not have, such as 160 bits for AES, and cut them themselves.
 * @throws CryptoError invalid for an algorithm without symmetric keys
 */
export function derivedLength(algorithm: CryptographicAlgorithm, bits: number): number {
  const lengths = lengthsOf(algorithm);
  return lengths.permits(bits) ? lengths.bytes(bits) : bits / 8;
}

/** Whether this many bytes of material are a key of this CryptographicLength. */
export function fitsLength(algorithm: CryptographicAlgorithm, bits: number, bytes: number): boolean {
  const lengths = lengthsOf(algorithm);
  return lengths.permits(bits) && lengths.bytes(bits) === bytes;
}

/** Sets the lowest bit so that the number of ones is odd, as for each byte of a DES key (FIPS 46-3). */
function oddParity(byte: number): number {
  let ones = 0;
  for (let bit = 1; bit < 8; bit++) ones ^= (byte >> bit) & 1;
  return (byte & 0xfe) | (ones ^ 1);
}
