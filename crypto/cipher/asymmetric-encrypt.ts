// Encrypts and decrypts with asymmetric keys: RSA with its paddings, elliptic curves with ECIES.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { keyFacts } from '../key/key-algorithm.ts';
import type { CryptographicParameters } from '../parameters.ts';
import { requireOn } from '../switched-off.ts';
import { eciesDecrypt, eciesEncrypt } from './ecies.ts';
import { rsaDecrypt, rsaEncrypt } from './rsa-encrypt.ts';

/** ML-KEM keys cannot encrypt, only encapsulate: see key-agreement.ts. */
function encrypts(key: KeyObject, { cryptographicAlgorithm }: CryptographicParameters): 'RSA' | 'ECIES' {
  const { algorithm } = keyFacts(key);
  const isElliptic = algorithm === 'EC' || algorithm === 'ECDH';
  if (algorithm !== 'RSA' && !isElliptic) throw new CryptoError('unsupported', `${algorithm} keys cannot encrypt`);
  if (cryptographicAlgorithm !== undefined && (cryptographicAlgorithm === 'RSA') !== (algorithm === 'RSA'))
    throw new CryptoError('bad_parameters', `the algorithm of the key is ${algorithm}, not ${cryptographicAlgorithm}`);
  if (isElliptic) requireOn('ECIES');
  return isElliptic ? 'ECIES' : 'RSA';
}

function requireNone(additionalData: Uint8Array | undefined): void {
  if (additionalData?.length) throw new CryptoError('invalid', 'RSA authenticates nothing: it takes no AuthenticatedEncryptionAdditionalData');
}

/**
 * @param additionalData authenticated by ECIES; an error for RSA
 * @throws CryptoError invalid if the data is too large for RSA, bad_parameters, unsupported
 */
export function encrypt(key: KeyObject, parameters: CryptographicParameters, data: Uint8Array, additionalData?: Uint8Array): Uint8Array {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  if (encrypts(publicKey, parameters) === 'ECIES') return eciesEncrypt(publicKey, data, additionalData);
  requireNone(additionalData);
  return rsaEncrypt(publicKey, parameters, data);
}

/** @throws CryptoError failed, always with the same text, if decryption fails; wrong_key for a public key; otherwise as `encrypt` */
export function decrypt(key: KeyObject, parameters: CryptographicParameters, data: Uint8Array, additionalData?: Uint8Array): Uint8Array {
  if (key.type !== 'private') throw new CryptoError('wrong_key', 'decryption needs a private key');
  if (encrypts(key, parameters) === 'ECIES') return eciesDecrypt(key, data, additionalData);
  requireNone(additionalData);
  return rsaDecrypt(key, parameters, data);
}
