// RSA encryption: PKCS#1 v1.5, OAEP, and RSA-AES key wrap for data larger than one block (RFC 8017 section 7, PKCS#11 3.1 section 2.1.22).
import { constants, createCipheriv, createDecipheriv, type KeyObject, privateDecrypt, publicEncrypt, randomBytes } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { digestOf } from '../digest-name.ts';
import type { CryptographicParameters } from '../parameters.ts';
import { requireOn } from '../switched-off.ts';
import { decryptOaep, encryptOaep, type OaepScheme, oaepCapacity } from './oaep.ts';

type Scheme = { readonly kind: 'pkcs1' } | ({ readonly kind: 'oaep' | 'key-wrap' } & OaepScheme);

const TOO_LARGE = 'data too large for this key';

/** RFC 5649 section 3. */
const KWP_IV = Buffer.from('a65959a6', 'hex');
const TEMPORARY_KEY_BYTES = 32;

/** As the known answers name them. */
const NAME: Readonly<Record<Scheme['kind'], string>> = { pkcs1: 'RSA-PKCS1-encryption', oaep: 'RSA-OAEP', 'key-wrap': 'RSA-AES-KEY-WRAP' };

function schemeOf(parameters: CryptographicParameters): Scheme {
  const scheme = schemeIn(parameters);
  requireOn(NAME[scheme.kind]);
  return scheme;
}

/** The default is OAEP with SHA-256. PaddingMethod None means RSA-AES key wrap. The default for the mask hash is the hash. */
function schemeIn(parameters: CryptographicParameters): Scheme {
  const { paddingMethod = 'OAEP', hashingAlgorithm = 'SHA_256', maskGenerator, maskGeneratorHashingAlgorithm, pSource } = parameters;
  if (paddingMethod === 'PKCS1V1_5') return { kind: 'pkcs1' };
  if (paddingMethod !== 'OAEP' && paddingMethod !== 'None')
    throw new CryptoError('unsupported', `RSA encryption with the padding ${paddingMethod} is not supported`);
  if (maskGenerator !== undefined && maskGenerator !== 'MGF1') throw new CryptoError('unsupported', 'MaskGenerator must be MGF1');
  const digest = digestOf(hashingAlgorithm);
  const maskDigest = maskGeneratorHashingAlgorithm === undefined ? digest : digestOf(maskGeneratorHashingAlgorithm);
  return { kind: paddingMethod === 'OAEP' ? 'oaep' : 'key-wrap', digest, maskDigest, label: pSource ?? new Uint8Array() };
}

const modulusBytes = (key: KeyObject): number => Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);

/** @throws CryptoError invalid if the data is too large, unsupported */
export function rsaEncrypt(key: KeyObject, parameters: CryptographicParameters, data: Uint8Array): Uint8Array {
  const scheme = schemeOf(parameters);
  if (scheme.kind === 'key-wrap') return wrap(key, scheme, data);
  const capacity = scheme.kind === 'pkcs1' ? modulusBytes(key) - 11 : oaepCapacity(modulusBytes(key), scheme.digest);
  if (data.length > capacity) throw new CryptoError('invalid', TOO_LARGE);
  return scheme.kind === 'pkcs1' ? publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, data) : oaep(key, scheme, data);
}

/** Uses OpenSSL if the two hashes are equal, and otherwise our own padding, which needs a modulus of whole bytes. */
function oaep(key: KeyObject, scheme: OaepScheme, data: Uint8Array): Buffer {
  if (scheme.maskDigest !== scheme.digest && (key.asymmetricKeyDetails?.modulusLength ?? 0) % 8 === 0) return encryptOaep(key, scheme, data);
  if (scheme.maskDigest !== scheme.digest)
    throw new CryptoError('unsupported', 'a mask hash other than the hash needs a modulus whose length is a multiple of 8 bits');
  return publicEncrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: scheme.digest.name, oaepLabel: Buffer.from(scheme.label) }, data);
}

/**
 * @throws CryptoError failed, always with the same text, whatever is wrong with the ciphertext. A wrong PKCS#1 v1.5 padding
 *   is not an error: it decrypts to bytes that depend only on key and ciphertext, so that attackers cannot detect it (implicit rejection).
 */
export function rsaDecrypt(key: KeyObject, parameters: CryptographicParameters, data: Uint8Array): Uint8Array {
  const scheme = schemeOf(parameters);
  try {
    // OpenSSL accepts shorter ciphertexts, as numbers with leading zeros; RFC 8017 section 7 does not.
    if (scheme.kind === 'key-wrap' ? data.length < modulusBytes(key) : data.length !== modulusBytes(key)) throw new Error('length');
    if (scheme.kind === 'pkcs1') return privateDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, data);
    return scheme.kind === 'oaep' ? decryptByOaep(key, scheme, data) : unwrap(key, scheme, data);
  } catch {
    throw rsaNotDecrypted();
  }
}

/** The same whatever is wrong, so that an attacker learns nothing about the padding. */
export const rsaNotDecrypted = (): CryptoError => new CryptoError('failed', 'decryption failed');

function decryptByOaep(key: KeyObject, scheme: OaepScheme, data: Uint8Array): Buffer {
  if (scheme.maskDigest === scheme.digest)
    return privateDecrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: scheme.digest.name, oaepLabel: Buffer.from(scheme.label) }, data);
  const message = decryptOaep(key, scheme, data);
  if (message === undefined) throw new Error('OAEP');
  return message;
}

/** Returns the wrapped temporary AES-256 key, followed by the data wrapped with that key. */
function wrap(key: KeyObject, scheme: OaepScheme, data: Uint8Array): Buffer {
  if (data.length === 0) throw new CryptoError('invalid', 'Data: the data to wrap must not be empty');
  if (TEMPORARY_KEY_BYTES > oaepCapacity(modulusBytes(key), scheme.digest)) throw new CryptoError('invalid', TOO_LARGE);
  const temporary = randomBytes(TEMPORARY_KEY_BYTES);
  const cipher = createCipheriv('id-aes256-wrap-pad', temporary, KWP_IV);
  const wrapped = Buffer.concat([oaep(key, scheme, temporary), cipher.update(data), cipher.final()]);
  temporary.fill(0);
  return wrapped;
}

function unwrap(key: KeyObject, scheme: OaepScheme, data: Uint8Array): Buffer {
  const length = modulusBytes(key);
  const temporary = decryptByOaep(key, scheme, data.subarray(0, length));
  const decipher = createDecipheriv('id-aes256-wrap-pad', temporary, KWP_IV);
  const opened = Buffer.concat([decipher.update(data.subarray(length)), decipher.final()]);
  temporary.fill(0);
  return opened;
}
