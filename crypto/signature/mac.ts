// Message authentication codes: HMAC (FIPS 198-1) and CMAC (NIST SP 800-38B), chosen by the algorithm of the key and the parameters.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { hashBytes, nodeHash } from '../hash.ts';
import { keyObject, type SecretKey } from '../key/secret-key.ts';
import type { CryptographicAlgorithm, CryptographicParameters, HashingAlgorithm } from '../parameters.ts';
import { requireOn } from '../switched-off.ts';
import { cmacStream } from './cmac.ts';

const HMAC: Partial<Record<CryptographicAlgorithm, HashingAlgorithm>> = {
  HMAC_MD5: 'MD5',
  HMAC_SHA1: 'SHA_1',
  HMAC_SHA224: 'SHA_224',
  HMAC_SHA256: 'SHA_256',
  HMAC_SHA384: 'SHA_384',
  HMAC_SHA512: 'SHA_512',
  HMAC_SHA3_224: 'SHA3_224',
  HMAC_SHA3_256: 'SHA3_256',
  HMAC_SHA3_384: 'SHA3_384',
  HMAC_SHA3_512: 'SHA3_512',
};

/** Undefined for an algorithm that is no HMAC. */
export function hashOfHmac(algorithm: CryptographicAlgorithm): HashingAlgorithm | undefined {
  return HMAC[algorithm];
}

export interface MacStream {
  update(data: Uint8Array): void;
  digest(): Uint8Array;
}

export type MacAlgorithm = { readonly hmac: HashingAlgorithm } | { readonly cmac: 'AES' | 'DES3' };

/**
 * Finds the MAC for the algorithm of the parameters or, by default, of the key: an HMAC algorithm; a block cipher in mode CMAC;
 * or HMAC with the given hashing algorithm for anything else, such as AES keys and generic secrets.
 * @param algorithm of the key; undefined for a secret without an algorithm
 * @throws CryptoError unsupported, also if the hashing algorithm contradicts the HMAC algorithm, or for a TagLength that would shorten the MAC; switched_off
 */
export function macAlgorithm(algorithm: CryptographicAlgorithm | undefined, parameters: CryptographicParameters): MacAlgorithm {
  const chosen = choose(algorithm, parameters);
  const { tagLength = macBytes(chosen) } = parameters;
  if (tagLength !== macBytes(chosen))
    throw unsupported(`TagLength: a MAC of this algorithm has ${macBytes(chosen)} bytes, and is not shortened to ${tagLength}`);
  requireOn('hmac' in chosen ? `HMAC-${chosen.hmac}` : `${chosen.cmac}-CMAC`);
  return chosen;
}

function choose(algorithm: CryptographicAlgorithm | undefined, parameters: CryptographicParameters): MacAlgorithm {
  const { hashingAlgorithm, blockCipherMode } = parameters;
  const named = parameters.cryptographicAlgorithm ?? algorithm;
  const own = named === undefined ? undefined : HMAC[named];
  if (own !== undefined) {
    if (hashingAlgorithm === undefined || hashingAlgorithm === own) return { hmac: own };
    throw unsupported(`${named} with the hashing algorithm ${hashingAlgorithm} is not supported`);
  }
  if (blockCipherMode === 'CMAC' && (named === 'AES' || named === 'DES3')) return { cmac: named };
  if (blockCipherMode !== undefined) throw unsupported(`${named ?? 'a secret'} in mode ${blockCipherMode} is not supported for a MAC`);
  if (hashingAlgorithm === undefined) throw unsupported(`${named ?? 'a secret'} is not supported for a MAC without a hashing algorithm or the mode CMAC`);
  nodeHash(hashingAlgorithm);
  return { hmac: hashingAlgorithm };
}

/** @throws CryptoError unsupported; invalid for a key of the wrong length */
export function mac(algorithm: MacAlgorithm, key: SecretKey, data: Uint8Array): Uint8Array {
  if ('hmac' in algorithm) return createHmac(nodeHash(algorithm.hmac), keyObject(key)).update(data).digest();
  const running = cmacStream(algorithm.cmac, key);
  running.update(data);
  return running.digest();
}

export function macStream(algorithm: MacAlgorithm, key: SecretKey): MacStream {
  if ('cmac' in algorithm) return cmacStream(algorithm.cmac, key);
  const running = createHmac(nodeHash(algorithm.hmac), keyObject(key));
  return { update: (data) => void running.update(data), digest: () => running.digest() };
}

/** Compares in constant time. A truncated MAC is not valid. */
export function macVerify(algorithm: MacAlgorithm, key: SecretKey, data: Uint8Array, expected: Uint8Array): boolean {
  return equalMac(mac(algorithm, key, data), expected);
}

/** Compares in constant time; use it at the end of a stream. */
export function equalMac(computed: Uint8Array, expected: Uint8Array): boolean {
  return computed.length === expected.length && timingSafeEqual(computed, expected);
}

/** The length of the MAC in bytes. */
export function macBytes(algorithm: MacAlgorithm): number {
  if ('hmac' in algorithm) return hashBytes(algorithm.hmac);
  return algorithm.cmac === 'AES' ? 16 : 8;
}

function unsupported(message: string): CryptoError {
  return new CryptoError('unsupported', message);
}
