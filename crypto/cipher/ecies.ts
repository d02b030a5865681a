// ECIES: encrypts with elliptic-curve keys (based on SEC 1 section 5.1, with HKDF and AES-GCM instead of X9.63 and HMAC).
import { createCipheriv, createDecipheriv, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { agree } from '../key/key-agreement.ts';
import { keyFacts } from '../key/key-algorithm.ts';
import { generatePair } from '../key/key-pair.ts';
import { exportRaw, importRaw } from '../key/raw-key.ts';
import type { RecommendedCurve } from '../parameters.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const INFO = 'gatehouse ECIES AES-256-GCM';

/**
 * Returns `ephemeral public key || ciphertext || tag`. The key is an uncompressed point, or the bytes of RFC 7748; the tag has 16 bytes.
 * Key and nonce for AES-256-GCM are 44 bytes of HKDF-SHA-256 of the shared secret. The salt is the ephemeral public key, then the recipient's,
 * so that key and nonce are never used twice and a ciphertext is bound to both public keys.
 * @throws CryptoError unsupported for keys of other algorithms
 */
export function eciesEncrypt(publicKey: KeyObject, data: Uint8Array, additionalData: Uint8Array = new Uint8Array()): Uint8Array {
  const curve = curveOf(publicKey);
  const ephemeral = generatePair('ECDH', { curve });
  const point = exportRaw(ephemeral.publicKey);
  const { key, nonce } = deriveKey(agree(ephemeral.privateKey, publicKey), point, exportRaw(publicKey));
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(additionalData);
  const sealed = Buffer.concat([point, cipher.update(data), cipher.final(), cipher.getAuthTag()]);
  key.fill(0);
  return sealed;
}

/** @throws CryptoError failed, always with the same text, whatever is wrong */
export function eciesDecrypt(privateKey: KeyObject, data: Uint8Array, additionalData: Uint8Array = new Uint8Array()): Uint8Array {
  const curve = curveOf(privateKey);
  const mine = exportRaw(createPublicKey(privateKey));
  try {
    if (data.length < mine.length + TAG_BYTES) throw new Error('too short');
    const point = data.subarray(0, mine.length);
    const { key, nonce } = deriveKey(agree(privateKey, importRaw('PublicKey', point, 'ECDH', curve)), point, mine);
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(additionalData);
    decipher.setAuthTag(data.subarray(-TAG_BYTES));
    const opened = Buffer.concat([decipher.update(data.subarray(mine.length, -TAG_BYTES)), decipher.final()]);
    key.fill(0);
    return opened;
  } catch {
    throw new CryptoError('failed', 'decryption failed');
  }
}

function curveOf(key: KeyObject): RecommendedCurve {
  const { algorithm, curve } = keyFacts(key);
  if (curve === undefined || (algorithm !== 'EC' && algorithm !== 'ECDH')) throw new CryptoError('unsupported', `${algorithm} keys cannot encrypt`);
  return curve;
}

function deriveKey(secret: Uint8Array, ephemeral: Uint8Array, recipient: Uint8Array): { key: Buffer; nonce: Buffer } {
  const bytes = Buffer.from(hkdfSync('sha256', secret, Buffer.concat([ephemeral, recipient]), INFO, KEY_BYTES + NONCE_BYTES));
  secret.fill(0);
  return { key: bytes.subarray(0, KEY_BYTES), nonce: bytes.subarray(KEY_BYTES) };
}
