// Finds the signature scheme for a key and KMIP's cryptographic parameters (specification 2.1 section 4.16).
import type { KeyObject } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { type Digest, digestOf } from '../digest-name.ts';
import { isOfAlgorithm, keyFacts } from '../key/key-algorithm.ts';
import type { CryptographicAlgorithm, CryptographicParameters, DigitalSignatureAlgorithm, HashingAlgorithm } from '../parameters.ts';
import { requireOn } from '../switched-off.ts';
import { pssRestrictions, requireAllowed } from './pss-key.ts';

export interface PssScheme {
  readonly kind: 'pss';
  readonly digest: Digest;
  readonly maskDigest: Digest;
  /** In bytes. Undefined means the length of the digest when signing, and any length when verifying. */
  readonly saltLength: number | undefined;
  /** In bytes; undefined unless the key has PSS parameters. */
  readonly leastSalt: number | undefined;
}

export type Scheme =
  | PssScheme
  | { readonly kind: 'pkcs1' | 'ecdsa' | 'dsa'; readonly digest: Digest }
  /** Ed25519, Ed448, ML-DSA and SLH-DSA sign the whole message and have no parameters. */
  | { readonly kind: 'pure' };

type Family = 'pkcs1' | 'pss' | 'dsa' | 'ecdsa';

/** As the known answers name them. */
const NAME: Readonly<Record<Family, string>> = { pkcs1: 'RSA-PKCS1', pss: 'RSA-PSS', dsa: 'DSA', ecdsa: 'ECDSA' };

/** The parameter sets of SLH-DSA with the same hash are one algorithm: signing with each of them would take seconds. */
const pureName = (algorithm: string): string => (algorithm.startsWith('SLHDSA') ? algorithm.slice(0, algorithm.lastIndexOf('_')) : algorithm);

const rsa = (hash: HashingAlgorithm) => ({ family: 'pkcs1' as Family, hash });

const NAMED: Readonly<Record<DigitalSignatureAlgorithm, { readonly family: Family; readonly hash?: HashingAlgorithm }>> = {
  MD2WithRSAEncryption: rsa('MD2'),
  MD5WithRSAEncryption: rsa('MD5'),
  SHA_1WithRSAEncryption: rsa('SHA_1'),
  SHA_224WithRSAEncryption: rsa('SHA_224'),
  SHA_256WithRSAEncryption: rsa('SHA_256'),
  SHA_384WithRSAEncryption: rsa('SHA_384'),
  SHA_512WithRSAEncryption: rsa('SHA_512'),
  RSASSA_PSS: { family: 'pss' },
  DSAWithSHA_1: { family: 'dsa', hash: 'SHA_1' },
  DSAWithSHA224: { family: 'dsa', hash: 'SHA_224' },
  DSAWithSHA256: { family: 'dsa', hash: 'SHA_256' },
  ECDSAWithSHA_1: { family: 'ecdsa', hash: 'SHA_1' },
  ECDSAWithSHA224: { family: 'ecdsa', hash: 'SHA_224' },
  ECDSAWithSHA256: { family: 'ecdsa', hash: 'SHA_256' },
  ECDSAWithSHA384: { family: 'ecdsa', hash: 'SHA_384' },
  ECDSAWithSHA512: { family: 'ecdsa', hash: 'SHA_512' },
  SHA3_256WithRSAEncryption: rsa('SHA3_256'),
  SHA3_384WithRSAEncryption: rsa('SHA3_384'),
  SHA3_512WithRSAEncryption: rsa('SHA3_512'),
};

/** Undefined for an algorithm that takes several. */
export function hashOfSignature(algorithm: DigitalSignatureAlgorithm): HashingAlgorithm | undefined {
  return NAMED[algorithm].hash;
}

/** The default hash for a digest of this many bytes. */
const HASH_OF_LENGTH: Readonly<Record<number, HashingAlgorithm>> = { 16: 'MD5', 20: 'SHA_1', 28: 'SHA_224', 32: 'SHA_256', 48: 'SHA_384', 64: 'SHA_512' };

/** The keys that make signatures of a family. */
const ALGORITHM: Readonly<Record<Family, CryptographicAlgorithm>> = { pkcs1: 'RSA', pss: 'RSA', dsa: 'DSA', ecdsa: 'EC' };

/** Whether the parameters name no other algorithm than that of the key: what is said to be of another one cannot be a signature of the key. */
export function isForKey(key: KeyObject, { cryptographicAlgorithm, digitalSignatureAlgorithm }: CryptographicParameters): boolean {
  if (cryptographicAlgorithm === undefined && digitalSignatureAlgorithm === undefined) return true;
  const facts = keyFacts(key);
  if (cryptographicAlgorithm !== undefined && !isOfAlgorithm(facts, cryptographicAlgorithm)) return false;
  return digitalSignatureAlgorithm === undefined || ALGORITHM[NAMED[digitalSignatureAlgorithm].family] === facts.algorithm;
}

const bad = (why: string): CryptoError => new CryptoError('bad_parameters', why);

/**
 * The default is PKCS#1 v1.5 for RSA, and SHA-256 as the hash or, for digested data, the one of its length. The default for the mask hash
 * is the hash: the specification says SHA-1, but the OASIS test case CS-AC-M-2 and existing clients use the hash. A key with PSS parameters
 * gives the defaults itself.
 * @param digestLength length of digested data in bytes
 * @throws CryptoError bad_parameters if the parameters contradict the key or each other,
 *   unsupported, invalid for a digest of the wrong length, switched_off
 */
export function schemeOf(key: KeyObject, parameters: CryptographicParameters, digestLength?: number): Scheme {
  const family = familyOf(key, parameters);
  requireOn(family === 'pure' ? pureName(keyFacts(key).algorithm) : NAME[family]);
  if (family === 'pure') {
    if (digestLength !== undefined) throw new CryptoError('unsupported', `DigestedData: ${keyFacts(key).algorithm} signs whole messages only`);
    return { kind: 'pure' };
  }
  const hash = hashOf(parameters, digestLength, family === 'pss' ? pssRestrictions(key)?.hash : undefined);
  const digest = digestOf(hash);
  if (digestLength !== undefined && digestLength !== digest.length)
    throw new CryptoError('invalid', `DigestedData: the digest must have ${digest.length} bytes`);
  return family === 'pss' ? pss(key, parameters, hash) : { kind: family, digest };
}

/**
 * The schemes that a signature may have: one, except for RSA without a given padding. Then signing uses PKCS#1 v1.5, but verifying accepts PSS too,
 * because some clients specify PSS only when they sign.
 * @throws CryptoError as `schemeOf`
 */
export function verifyingSchemes(key: KeyObject, parameters: CryptographicParameters, digestLength?: number): readonly Scheme[] {
  const scheme = schemeOf(key, parameters, digestLength);
  const isOpen = scheme.kind === 'pkcs1' && parameters.digitalSignatureAlgorithm === undefined && parameters.paddingMethod === undefined;
  if (!isOpen) return [scheme];
  requireOn(NAME.pss);
  const hash = hashOf(parameters, digestLength, pssRestrictions(key)?.hash);
  const other = pss(key, parameters, hash);
  return keyFacts(key).isForPssOnly ? [other] : [scheme, other];
}

/** @param own the hash of the key */
function hashOf(
  { digitalSignatureAlgorithm, hashingAlgorithm }: CryptographicParameters,
  digestLength: number | undefined,
  own: HashingAlgorithm | undefined,
): HashingAlgorithm {
  const named = digitalSignatureAlgorithm === undefined ? undefined : NAMED[digitalSignatureAlgorithm].hash;
  if (named !== undefined && hashingAlgorithm !== undefined && named !== hashingAlgorithm)
    throw bad(`${digitalSignatureAlgorithm} cannot be used with the hashing algorithm ${hashingAlgorithm}`);
  return named ?? hashingAlgorithm ?? own ?? (digestLength === undefined ? undefined : HASH_OF_LENGTH[digestLength]) ?? 'SHA_256';
}

function pss(key: KeyObject, parameters: CryptographicParameters, hash: HashingAlgorithm): PssScheme {
  const { maskGenerator, maskGeneratorHashingAlgorithm, saltLength, trailerField } = parameters;
  if (maskGenerator !== undefined && maskGenerator !== 'MGF1') throw new CryptoError('unsupported', 'MaskGenerator must be MGF1');
  // RFC 8017 appendix A.2.3: trailer field 1 is the byte 0xbc.
  if (trailerField !== undefined && trailerField !== 1 && trailerField !== 0xbc) throw new CryptoError('unsupported', 'TrailerField must be 1');
  if (saltLength !== undefined && saltLength < 0) throw bad('SaltLength must not be negative');
  const own = pssRestrictions(key);
  const maskHash = maskGeneratorHashingAlgorithm ?? own?.maskHash ?? hash;
  requireAllowed(key, hash, maskHash, saltLength);
  return { kind: 'pss', digest: digestOf(hash), maskDigest: digestOf(maskHash), saltLength, leastSalt: own?.saltLength };
}

function familyOf(key: KeyObject, parameters: CryptographicParameters): Family | 'pure' {
  const facts = keyFacts(key);
  const { digitalSignatureAlgorithm, cryptographicAlgorithm } = parameters;
  if (cryptographicAlgorithm !== undefined && !isOfAlgorithm(facts, cryptographicAlgorithm))
    throw bad(`the algorithm of the key is ${facts.algorithm}, not ${cryptographicAlgorithm}`);
  const own = ownFamily(facts.algorithm, parameters);
  const named = digitalSignatureAlgorithm === undefined ? undefined : NAMED[digitalSignatureAlgorithm].family;
  if (named === undefined || named === own) return own;
  if (own === 'pkcs1' && named === 'pss' && parameters.paddingMethod === undefined) return 'pss';
  // Clients specify PSS with the padding, and the hash with the algorithm.
  if (own === 'pss' && named === 'pkcs1') return 'pss';
  throw bad(`${digitalSignatureAlgorithm} cannot be used with this key or padding`);
}

function ownFamily(algorithm: string, { paddingMethod }: CryptographicParameters): Family | 'pure' {
  if (algorithm === 'RSA') {
    if (paddingMethod === 'PSS') return 'pss';
    if (paddingMethod === undefined || paddingMethod === 'PKCS1V1_5') return 'pkcs1';
    throw new CryptoError('unsupported', `RSA signatures with the padding ${paddingMethod} are not supported`);
  }
  if (algorithm === 'DSA') return 'dsa';
  if (algorithm === 'EC') return 'ecdsa';
  if (/^(Ed|MLDSA|SLHDSA)/.test(algorithm)) return 'pure';
  throw new CryptoError('unsupported', `${algorithm} keys cannot sign`);
}
