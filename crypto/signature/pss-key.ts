// RSA keys for PSS only: what their parameters allow (RFC 4055 section 3.1).
import type { KeyObject } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { hashNamed } from '../digest-name.ts';
import { keyFacts } from '../key/key-algorithm.ts';
import type { HashingAlgorithm } from '../parameters.ts';

interface PssRestrictions {
  readonly hash: HashingAlgorithm;
  readonly maskHash: HashingAlgorithm;
  /** The shortest salt, in bytes. */
  readonly saltLength: number;
}

/** Undefined for a key that allows all parameters. @throws CryptoError unsupported for a hash that OpenSSL does not have */
export function pssRestrictions(key: KeyObject): PssRestrictions | undefined {
  if (!keyFacts(key).isForPssOnly) return undefined;
  const { hashAlgorithm, mgf1HashAlgorithm, saltLength } = key.asymmetricKeyDetails ?? {};
  if (hashAlgorithm === undefined || mgf1HashAlgorithm === undefined || saltLength === undefined) return undefined;
  return { hash: hashNamed(hashAlgorithm), maskHash: hashNamed(mgf1HashAlgorithm), saltLength };
}

/** @param saltLength in bytes; undefined if a signature tells it itself @throws CryptoError bad_parameters, which says what the key allows */
export function requireAllowed(key: KeyObject, hash: HashingAlgorithm, maskHash: HashingAlgorithm, saltLength: number | undefined): void {
  const own = pssRestrictions(key);
  if (own === undefined) return;
  if (own.hash === hash && own.maskHash === maskHash && (saltLength ?? own.saltLength) >= own.saltLength) return;
  const allowed = `${own.hash}, MGF1 with ${own.maskHash} and a salt of at least ${own.saltLength} bytes`;
  throw new CryptoError('bad_parameters', `the key is for PSS with ${allowed} only`);
}
