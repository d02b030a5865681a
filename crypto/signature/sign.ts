// Signs and verifies data and digests with all signature algorithms of KMIP (specification 2.1 sections 6.1.55 and 6.1.56).
import {
  constants,
  hash,
  type KeyObject,
  sign as opensslSign,
  verify as opensslVerify,
  privateEncrypt,
  publicDecrypt,
  type SignKeyObjectInput,
} from 'node:crypto';
import { promisify } from 'node:util';
import { CryptoError } from '../crypto-error.ts';
import { nullElement, octets, oid, sequence } from '../der.ts';
import type { Digest } from '../digest-name.ts';
import { keyFacts } from '../key/key-algorithm.ts';
import type { CryptographicParameters } from '../parameters.ts';
import { type SignatureEncoding, signDigest, verifyDigest } from './digest-signature.ts';
import { requireRoom, signPss, verifyPss } from './pss.ts';
import { isForKey, type Scheme, schemeOf, verifyingSchemes } from './signature-scheme.ts';

/** Exactly one of the two must be present. */
interface SignatureInput {
  readonly data?: Uint8Array | undefined;
  /** The digest of the data, computed by the client. */
  readonly digest?: Uint8Array | undefined;
}

/**
 * @param encoding of ECDSA and DSA signatures: DER for KMIP, r || s for JOSE
 * @throws CryptoError as `schemeOf`; missing_data if both data and digest are missing, invalid if both are present; wrong_key for a public key;
 *   failed if OpenSSL cannot use the key with these parameters
 */
export function sign(key: KeyObject, parameters: CryptographicParameters, input: SignatureInput, encoding: SignatureEncoding = 'der'): Uint8Array {
  if (key.type !== 'private') throw new CryptoError('wrong_key', 'signing needs a private key');
  const { data, digest } = oneOf(input);
  const scheme = schemeOf(key, parameters, digest?.length);
  return attempt(() => (digest === undefined ? signData(key, scheme, data, encoding) : signGivenDigest(key, scheme, digest, encoding)));
}

type InPool = (hash: string | null, data: Uint8Array, key: KeyObject | SignKeyObjectInput) => Promise<Uint8Array>;
const opensslSignInPool: InPool = promisify(opensslSign);

/** Whether a signature can take up to a second. */
export const isSlowSigner = ({ asymmetricKeyType }: KeyObject): boolean => String(asymmetricKeyType).startsWith('slh-dsa');

/** Whether `signInPool` leaves this thread alone: OpenSSL makes all signatures in one step but those of PSS with two hashes. @throws CryptoError as `schemeOf` */
export function isSignedInPool(key: KeyObject, parameters: CryptographicParameters): boolean {
  return opensslInput(key, schemeOf(key, parameters, undefined), 'der', false) !== undefined;
}

/** Like `sign`, for data, on a thread of the pool. */
export async function signInPool(
  key: KeyObject,
  parameters: CryptographicParameters,
  data: Uint8Array,
  encoding: SignatureEncoding = 'der',
): Promise<Uint8Array> {
  if (key.type !== 'private') throw new CryptoError('wrong_key', 'signing needs a private key');
  const scheme = schemeOf(key, parameters, undefined);
  const input = opensslInput(key, scheme, encoding, false);
  if (input === undefined) return attempt(() => signData(key, scheme, data, encoding));
  return opensslSignInPool(hashName(scheme), data, input).catch(() => {
    throw unusableKey();
  });
}

const unusableKey = (): CryptoError => new CryptoError('failed', 'the key cannot be used with these parameters');

/**
 * @returns false for every signature that does not match the key and input: also for a malformed one, and if the parameters name another algorithm than
 *   that of the key (OASIS case TC-ECDSA-SIGN-DIGESTEDDATA-1)
 * @throws CryptoError as `sign`; failed if the key does not support the scheme, for example an RSA key for PSS only
 */
export function verify(
  key: KeyObject,
  parameters: CryptographicParameters,
  input: SignatureInput,
  signature: Uint8Array,
  encoding: SignatureEncoding = 'der',
): boolean {
  const { data, digest } = oneOf(input);
  if (!isForKey(key, parameters)) return false;
  const isOf = (scheme: Scheme): boolean =>
    attempt(() => (digest === undefined ? verifyData(key, scheme, data, signature, encoding) : verifyGivenDigest(key, scheme, digest, signature, encoding)));
  return verifyingSchemes(key, parameters, digest?.length).some(isOf);
}

/** @throws CryptoError missing_data, invalid */
export function oneOf({ data, digest }: SignatureInput): { data: Uint8Array; digest?: undefined } | { data?: undefined; digest: Uint8Array } {
  if (data !== undefined && digest !== undefined) throw new CryptoError('invalid', 'give either Data or DigestedData, not both');
  if (digest !== undefined) return { digest };
  if (data === undefined) throw new CryptoError('missing_data', 'Data or DigestedData is needed');
  return { data };
}

/** Runs an operation of OpenSSL with a key. @throws CryptoError failed, always with the same text */
export function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof CryptoError) throw cause;
    throw unusableKey();
  }
}

/**
 * The key and options for node:crypto; undefined if it does not support the scheme. Returns only the key if the defaults are right,
 * because an options object costs a quarter of the time of a P-256 signature, and more than the rest of the caller's part in one of RSA.
 */
export function opensslInput(key: KeyObject, scheme: Scheme, encoding: SignatureEncoding, verifying: boolean): KeyObject | SignKeyObjectInput | undefined {
  if (scheme.kind === 'pure') return key;
  // The padding must be named for a key for PSS only, which is refused then: with the default it would make another kind of signature.
  if (scheme.kind === 'pkcs1') return keyFacts(key).isForPssOnly ? { key, padding: constants.RSA_PKCS1_PADDING } : key;
  if (scheme.kind !== 'pss') return encoding === 'der' ? key : { key, dsaEncoding: encoding };
  if (!verifying) requireRoom(key, scheme);
  // For a key with parameters OpenSSL does not take the length of the salt from the signature.
  if (scheme.maskDigest !== scheme.digest || (verifying && scheme.saltLength === undefined && scheme.leastSalt !== undefined)) return undefined;
  const saltLength = scheme.saltLength ?? (verifying ? constants.RSA_PSS_SALTLEN_AUTO : constants.RSA_PSS_SALTLEN_DIGEST);
  return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength };
}

const hashName = (scheme: Scheme): string | null => (scheme.kind === 'pure' ? null : scheme.digest.name);

function signData(key: KeyObject, scheme: Scheme, data: Uint8Array, encoding: SignatureEncoding): Uint8Array {
  const input = opensslInput(key, scheme, encoding, false);
  if (input !== undefined) return opensslSign(hashName(scheme), data, input);
  return signGivenDigest(key, scheme, hash(hashName(scheme) as string, data, 'buffer'), encoding);
}

function verifyData(key: KeyObject, scheme: Scheme, data: Uint8Array, signature: Uint8Array, encoding: SignatureEncoding): boolean {
  const input = opensslInput(key, scheme, encoding, true);
  if (input === undefined) return verifyGivenDigest(key, scheme, hash(hashName(scheme) as string, data, 'buffer'), signature, encoding);
  return opensslVerify(hashName(scheme), data, input, signature);
}

/** EMSA-PKCS1-v1_5 without the padding, which OpenSSL adds (RFC 8017 section 9.2). */
const digestInfo = (digest: Digest, value: Uint8Array): Buffer => sequence(sequence(oid(digest.oid), nullElement()), octets(value));

export function signGivenDigest(key: KeyObject, scheme: Scheme, digest: Uint8Array, encoding: SignatureEncoding): Uint8Array {
  if (scheme.kind === 'pss') return signPss(key, scheme, digest);
  if (scheme.kind === 'pkcs1') return privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, digestInfo(scheme.digest, digest));
  return signDigest(key, digest, encoding);
}

export function verifyGivenDigest(key: KeyObject, scheme: Scheme, digest: Uint8Array, signature: Uint8Array, encoding: SignatureEncoding): boolean {
  if (scheme.kind === 'pss') return verifyPss(key, scheme, digest, signature);
  if (scheme.kind !== 'pkcs1') return verifyDigest(key, digest, signature, encoding);
  if (signature.length !== Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8)) return false;
  try {
    return publicDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, signature).equals(digestInfo(scheme.digest, digest));
  } catch {
    // The padding is not that of a signature.
    return false;
  }
}
