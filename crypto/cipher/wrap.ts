// Wraps key material with symmetric keys by the wrapping methods of KMIP (specification 2.1 section 3.3, Key Wrapping Data).
import { randomBytes } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { keyBytes, type SecretKey } from '../key/secret-key.ts';
import type { CryptographicAlgorithm, CryptographicParameters } from '../parameters.ts';
import { equalMac, mac, macAlgorithm } from '../signature/mac.ts';
import { type Cipher, cipherFor } from './cipher.ts';

/** The values of KMIP's enumeration of the same name. */
export type WrappingMethod = 'Encrypt' | 'MACSign' | 'EncryptThenMACSign' | 'MACSignThenEncrypt' | 'TR_31';

/** The key of an EncryptionKeyInformation or MACSignatureKeyInformation, with its parameters. */
export interface WrappingKey {
  readonly key: SecretKey;
  readonly algorithm: CryptographicAlgorithm;
  readonly parameters: CryptographicParameters;
}

/** The keys that the wrapping method uses must be present. */
export interface WrappingKeys {
  readonly encryption?: WrappingKey | undefined;
  readonly mac?: WrappingKey | undefined;
}

export interface Wrapped {
  /** In an authenticated mode the tag follows the data, because KeyWrappingData has no field for it. */
  readonly data: Uint8Array;
  readonly iv?: Uint8Array;
  /** The MACSignature. */
  readonly mac?: Uint8Array;
}

/**
 * The default mode of AES is AESKeyWrapPadding. MACSign does not encrypt the material. EncryptThenMACSign authenticates `data`.
 * MACSignThenEncrypt encrypts the material followed by its MAC.
 * @param iv random by default
 * @throws CryptoError of the cipher and the MAC; invalid if a key is missing; unsupported_wrapping
 */
export function wrap(method: WrappingMethod, keys: WrappingKeys, material: Uint8Array, iv?: Uint8Array): Wrapped {
  switch (method) {
    case 'Encrypt':
      return encrypt(keys, material, iv);
    case 'MACSign':
      return { data: material, mac: authenticate(keys, material) };
    case 'EncryptThenMACSign': {
      const wrapped = encrypt(keys, material, iv);
      return { ...wrapped, mac: authenticate(keys, wrapped.data) };
    }
    case 'MACSignThenEncrypt':
      return encrypt(keys, Buffer.concat([material, authenticate(keys, material)]), iv);
    default:
      throw new CryptoError('unsupported_wrapping', `the wrapping method ${method} is not supported`);
  }
}

/** @throws CryptoError as `wrap`; failed if the data was changed or was wrapped with another key */
export function unwrap(method: WrappingMethod, keys: WrappingKeys, wrapped: Wrapped): Uint8Array {
  switch (method) {
    case 'Encrypt':
      return decrypt(keys, wrapped);
    case 'MACSign':
      return verifyMac(keys, wrapped.data, wrapped.mac);
    case 'EncryptThenMACSign':
      verifyMac(keys, wrapped.data, wrapped.mac);
      return decrypt(keys, wrapped);
    case 'MACSignThenEncrypt': {
      const both = decrypt(keys, wrapped);
      const bytes = Math.max(0, both.length - authenticate(keys, new Uint8Array()).length);
      return verifyMac(keys, both.subarray(0, bytes), both.subarray(bytes));
    }
    default:
      throw new CryptoError('unsupported_wrapping', `the wrapping method ${method} is not supported`);
  }
}

function encrypt(keys: WrappingKeys, material: Uint8Array, given: Uint8Array | undefined): Wrapped {
  const { key, cipher } = encryption(keys);
  const iv = given ?? (cipher.ivBytes === undefined ? undefined : randomBytes(cipher.ivBytes));
  const { data, tag } = cipher.encrypt(key, { iv, data: material });
  return { data: tag === undefined ? data : Buffer.concat([data, tag]), ...(iv !== undefined && { iv }) };
}

function decrypt(keys: WrappingKeys, { data, iv }: Wrapped): Uint8Array {
  const { key, cipher } = encryption(keys);
  if (!cipher.authenticated) return cipher.decrypt(key, { iv, data });
  const bytes = Math.max(0, data.length - cipher.tagBytes);
  return cipher.decrypt(key, { iv, data: data.subarray(0, bytes), tag: data.subarray(bytes) });
}

function encryption({ encryption: by }: WrappingKeys): { key: SecretKey; cipher: Cipher } {
  if (by === undefined) throw new CryptoError('invalid', 'this wrapping method needs EncryptionKeyInformation');
  return { key: by.key, cipher: wrappingCipher(by) };
}

/** The cipher with which a key wraps. @throws CryptoError of `cipherFor` */
export function wrappingCipher({ key, algorithm, parameters }: WrappingKey): Cipher {
  const bytes = key instanceof Uint8Array ? key.length : (key.symmetricKeySize ?? keyBytes(key).length);
  const standard = algorithm === 'AES' && parameters.blockCipherMode === undefined;
  const used = standard ? { ...parameters, blockCipherMode: 'AESKeyWrapPadding' as const } : parameters;
  return cipherFor(used.cryptographicAlgorithm ?? algorithm, used, bytes);
}

function authenticate({ mac: by }: WrappingKeys, data: Uint8Array): Uint8Array {
  if (by === undefined) throw new CryptoError('invalid', 'this wrapping method needs MACSignatureKeyInformation');
  return mac(macAlgorithm(by.algorithm, by.parameters), by.key, data);
}

function verifyMac(keys: WrappingKeys, data: Uint8Array, expected: Uint8Array | undefined): Uint8Array {
  if (expected === undefined) throw new CryptoError('invalid', 'this wrapping method needs a MACSignature');
  if (!equalMac(authenticate(keys, data), expected)) throw new CryptoError('failed', 'the MAC of the wrapped key is wrong');
  return data;
}
