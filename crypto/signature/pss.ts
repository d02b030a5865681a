// RSASSA-PSS over a given digest and with a separate hash for the mask; node:crypto supports neither (RFC 8017 sections 8.1 and 9.1).
import { constants, hash, type KeyObject, privateEncrypt, publicDecrypt, randomBytes, timingSafeEqual } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { bareKey } from '../key/rsa-key.ts';
import { mgf1, xorInto } from '../mask.ts';
import type { PssScheme } from './signature-scheme.ts';

const TRAILER = 0xbc;
const padding = constants.RSA_NO_PADDING;

const modulusBits = (key: KeyObject): number => key.asymmetricKeyDetails?.modulusLength ?? 0;

/**
 * RFC 8017 section 9.1.1. OpenSSL and each token refuse such a salt with another error.
 * @param key either half of the pair @returns the bytes that are left
 * @throws CryptoError bad_parameters if digest and salt do not fit into the modulus, or the key requires a longer salt
 */
export function requireRoom(key: KeyObject, { digest, saltLength = digest.length, leastSalt = 0 }: PssScheme): number {
  if (saltLength < leastSalt) throw new CryptoError('bad_parameters', `SaltLength: the key requires a salt of at least ${leastSalt} bytes`);
  const room = Math.ceil((modulusBits(key) - 1) / 8) - digest.length - saltLength - 2;
  if (room < 0) throw new CryptoError('bad_parameters', 'SaltLength: the key is too short for this salt and hash');
  return room;
}

/** @throws CryptoError bad_parameters as `requireRoom` */
export function signPss(key: KeyObject, scheme: PssScheme, digest: Uint8Array): Buffer {
  const bits = modulusBits(key) - 1;
  const length = Math.ceil(bits / 8);
  const zeros = requireRoom(key, scheme);
  const salt = randomBytes(scheme.saltLength ?? scheme.digest.length);
  const seal = sealOf(scheme, digest, salt);
  const block = Buffer.concat([Buffer.alloc(zeros), Buffer.of(1), salt]);
  xorInto(block, mgf1(scheme.maskDigest, seal, block.length));
  block[0] = (block[0] as number) & topMask(bits);
  const encoded = Buffer.concat([block, seal, Buffer.of(TRAILER)]);
  // If the modulus has 8 n + 1 bits, it is one byte longer than the encoding.
  return privateEncrypt({ key: bareKey(key), padding }, Buffer.concat([Buffer.alloc(Math.ceil(modulusBits(key) / 8) - length), encoded]));
}

/** A mask of the bits of the first byte that the encoding may use. */
const topMask = (bits: number): number => 0xff >> (8 * Math.ceil(bits / 8) - bits);

const sealOf = (scheme: PssScheme, digest: Uint8Array, salt: Uint8Array): Buffer =>
  hash(scheme.digest.name, Buffer.concat([Buffer.alloc(8), digest, salt]), 'buffer');

export function verifyPss(key: KeyObject, scheme: PssScheme, digest: Uint8Array, signature: Uint8Array): boolean {
  const whole = Math.ceil(modulusBits(key) / 8);
  if (signature.length !== whole) return false;
  let message: Buffer;
  try {
    message = publicDecrypt({ key: bareKey(key), padding }, signature);
  } catch {
    // The signature is a number greater than the modulus.
    return false;
  }
  const bits = modulusBits(key) - 1;
  const length = Math.ceil(bits / 8);
  if (message.subarray(0, whole - length).some((byte) => byte !== 0)) return false;
  return matches(scheme, digest, message.subarray(whole - length), bits);
}

/** RFC 8017 section 9.1.2. Everything here is public, so the time need not be constant. */
function matches(scheme: PssScheme, digest: Uint8Array, encoded: Buffer, bits: number): boolean {
  const sealAt = encoded.length - scheme.digest.length - 1;
  if (sealAt < 1 || encoded.at(-1) !== TRAILER || (encoded[0] as number) & ~topMask(bits)) return false;
  const seal = encoded.subarray(sealAt, -1);
  const block = Buffer.from(encoded.subarray(0, sealAt));
  xorInto(block, mgf1(scheme.maskDigest, seal, sealAt));
  block[0] = (block[0] as number) & topMask(bits);
  const one = block.findIndex((byte) => byte !== 0);
  if (one < 0 || block[one] !== 1) return false;
  const salt = block.subarray(one + 1);
  if (salt.length < (scheme.leastSalt ?? 0) || (scheme.saltLength !== undefined && salt.length !== scheme.saltLength)) return false;
  return timingSafeEqual(sealOf(scheme, digest, salt), seal);
}
