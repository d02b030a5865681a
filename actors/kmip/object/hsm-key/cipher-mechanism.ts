// The mechanisms of PKCS#11 for ciphers, key wrap and MACs (PKCS #11 v2.40 mechanisms, sections 2.1, 2.11 to 2.13).
import type { Cipher } from '../../../../crypto/cipher/cipher.ts';
import { checkedIv } from '../../../../crypto/cipher/initialization-vector.ts';
import { digestOf } from '../../../../crypto/digest-name.ts';
import type { CryptographicParameters, HashingAlgorithm } from '../../../../crypto/parameters.ts';
import { macAlgorithm } from '../../../../crypto/signature/mac.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import type { TokenHash, TokenMechanism } from '../../../hsm/api.ts';
import type { Key } from '../key.ts';
import { lacksMechanism } from './token-refusal.ts';

const NOTHING = new Uint8Array();
const HASHES: ReadonlySet<string> = new Set(['sha1', 'sha224', 'sha256', 'sha384', 'sha512']);

/** A copy that owns its bytes, as those must that go to another thread. */
export const owned = (bytes: Uint8Array | undefined): Uint8Array => (bytes === undefined ? NOTHING : new Uint8Array(bytes));

/** @throws Refusal for a hash that tokens do not know */
export function hashOf({ name }: { readonly name: string }, mechanism: string): TokenHash {
  if (!HASHES.has(name)) throw lacksMechanism(`${mechanism} with ${name}`);
  return name as TokenHash;
}

/** The mechanism of a mode of AES. A mode without one has a name all the same, for the refusal. */
export function aesMechanism({ blockCipherMode: mode = 'GCM', paddingMethod: padding }: CryptographicParameters): string {
  if (mode === 'AEAD') return 'CKM_AES_GCM';
  if (mode === 'CBC')
    return padding === undefined || padding === 'PKCS5' ? 'CKM_AES_CBC_PAD' : padding === 'None' ? 'CKM_AES_CBC' : `CKM_AES_CBC with ${padding} padding`;
  if (mode === 'ECB') return padding === undefined || padding === 'None' ? 'CKM_AES_ECB' : `CKM_AES_ECB with ${padding} padding`;
  if (mode === 'NISTKeyWrap') return 'CKM_AES_KEY_WRAP';
  if (mode === 'AESKeyWrapPadding') return 'CKM_AES_KEY_WRAP_KWP';
  return `CKM_AES_${mode}`;
}

export interface CipherInput {
  readonly iv: Uint8Array | undefined;
  readonly aad: Uint8Array | undefined;
  readonly tagBytes: number;
}

export function withIv(name: string, { iv, aad, tagBytes }: CipherInput, parameters: CryptographicParameters): TokenMechanism {
  if (name === 'CKM_AES_GCM') return { name, parameter: { kind: 'gcm', iv: owned(iv), aad: owned(aad), tagBits: tagBytes * 8 } };
  if (name === 'CKM_AES_CTR') return { name, parameter: { kind: 'bytes', bytes: counterBlock(owned(iv), parameters) } };
  return iv === undefined ? { name } : { name, parameter: { kind: 'bytes', bytes: owned(iv) } };
}

/** @returns undefined for a cipher that needs none @throws Refusal InvalidMessage, CryptoError invalid */
export function requireIv(cipher: Cipher, iv: Uint8Array | undefined): Uint8Array | undefined {
  if (cipher.ivRule === undefined) return undefined;
  if (iv === undefined) throw new Refusal('InvalidMessage', `missing-iv: ${cipher.name} needs the IV, counter or nonce of the encryption`);
  return checkedIv(cipher.name, cipher.ivRule, iv);
}

/** @param chosen by the token @param made by this server @throws Refusal if the token has replaced that of the client */
export function ivToTell(name: string, chosen: Uint8Array | undefined, given: Uint8Array | undefined, made: Uint8Array | undefined): Uint8Array | undefined {
  if (chosen !== undefined && given !== undefined)
    throw new Refusal('UnsupportedCryptographicParameters', `the token chooses the IV of ${name} itself: send none`);
  return chosen ?? made;
}

/** CK_AES_CTR_PARAMS: a CK_ULONG with the bits of the counter, then the block. With an InitialCounterValue the IV is only the part before the counter (RFC 3686). */
function counterBlock(
  iv: Uint8Array,
  { initialCounterValue, counterLength = initialCounterValue === undefined ? 128 : 32 }: CryptographicParameters,
): Uint8Array {
  const block = new Uint8Array(24);
  const view = new DataView(block.buffer);
  view.setBigUint64(0, BigInt(counterLength), true);
  block.set(iv.subarray(0, 16), 8);
  if (initialCounterValue !== undefined) view.setUint32(20, initialCounterValue);
  return block;
}

/** @param key a secret key @throws CryptoError as `macAlgorithm`, Refusal for a MAC that no token has */
export function macMechanism({ algorithm }: Pick<Key, 'algorithm'>, parameters: CryptographicParameters): TokenMechanism {
  const mac = macAlgorithm(algorithm, parameters);
  if ('cmac' in mac) return { name: mac.cmac === 'AES' ? 'CKM_AES_CMAC' : 'CKM_DES3_CMAC' };
  return { name: hmacName(mac.hmac) };
}

function hmacName(hash: HashingAlgorithm): string {
  const { name } = digestOf(hash);
  return name === 'sha1' ? 'CKM_SHA_1_HMAC' : HASHES.has(name) ? `CKM_${name.toUpperCase()}_HMAC` : `CKM_${name.toUpperCase().replaceAll('-', '_')}_HMAC`;
}

/** Of RSA encryption; the defaults are those of keys in software: OAEP with SHA-256. RSA-AES key wrap, which has no padding, begins with OAEP too. */
export function rsaMechanism(parameters: CryptographicParameters): TokenMechanism {
  const { paddingMethod = 'OAEP', hashingAlgorithm = 'SHA_256', maskGenerator, maskGeneratorHashingAlgorithm, pSource } = parameters;
  if (paddingMethod === 'PKCS1V1_5') return { name: 'CKM_RSA_PKCS' };
  if (paddingMethod !== 'OAEP' && paddingMethod !== 'None') throw lacksMechanism(`CKM_RSA_${paddingMethod}`);
  if (maskGenerator !== undefined && maskGenerator !== 'MGF1') throw new Refusal('UnsupportedCryptographicParameters', 'MaskGenerator must be MGF1');
  const name = 'CKM_RSA_PKCS_OAEP';
  const hash = hashOf(digestOf(hashingAlgorithm), name);
  const maskHash = maskGeneratorHashingAlgorithm === undefined ? hash : hashOf(digestOf(maskGeneratorHashingAlgorithm), name);
  return { name, parameter: { kind: 'oaep', hash, maskHash, label: owned(pSource) } };
}
