// RSA keys for PSS only (RFC 4055 section 3.1): what their parameters allow, and a key for the bare operation, which OpenSSL refuses them.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { hashNamed } from '../digest-name.ts';
import { keyFacts } from '../key/key-algorithm.ts';
import { rsaToPkcs1 } from '../key/rsa-key.ts';
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

const bareKeys = new WeakMap<KeyObject, KeyObject>();

/** The same numbers as a key for any padding. Whoever uses it keeps the restrictions of the key. */
export function bareKey(key: KeyObject): KeyObject {
  if (!keyFacts(key).isForPssOnly) return key;
  let bare = bareKeys.get(key);
  if (bare === undefined) {
    const der = rsaToPkcs1(key);
    bare = key.type === 'private' ? createPrivateKey({ key: der, format: 'der', type: 'pkcs1' }) : createPublicKey({ key: der, format: 'der', type: 'pkcs1' });
    der.fill(0);
    bareKeys.set(key, bare);
  }
  return bare;
}
