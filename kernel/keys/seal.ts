// Seals key material for storage with AES-256-GCM. The associated data binds it to its purpose.
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import { randomIv } from '../../crypto/random.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** 32 bytes, or a key object, which is faster where it is used again. */
type SealKey = Uint8Array | KeyObject;

/** @returns nonce, ciphertext and tag, in an array with its own buffer */
export function seal(key: SealKey, purpose: string, plaintext: Uint8Array): Uint8Array {
  const nonce = randomIv(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyObject(key), nonce).setAAD(Buffer.from(purpose));
  const ciphertext = cipher.update(plaintext);
  // Of GCM nothing is left for the end.
  cipher.final();
  const sealed = new Uint8Array(NONCE_BYTES + ciphertext.length + TAG_BYTES);
  sealed.set(nonce);
  sealed.set(ciphertext, NONCE_BYTES);
  sealed.set(cipher.getAuthTag(), NONCE_BYTES + ciphertext.length);
  return sealed;
}

/** @returns undefined if the key or the purpose is another one, or the bytes have changed */
export function unseal(key: SealKey, purpose: string, sealed: Uint8Array): Uint8Array | undefined {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', keyObject(key), sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(purpose)).setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  const plaintext = decipher.update(sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES));
  try {
    decipher.final();
  } catch {
    plaintext.fill(0);
    return undefined;
  }
  // A large plaintext already has its own buffer, so it is not copied.
  if (plaintext.byteLength === plaintext.buffer.byteLength) return new Uint8Array(plaintext.buffer);
  const owned = new Uint8Array(plaintext);
  plaintext.fill(0);
  return owned;
}

/** Node converts raw bytes on a path that throws and catches an error: 13 us for each cipher in place of 4. */
function keyObject(key: SealKey): KeyObject {
  return key instanceof Uint8Array ? createSecretKey(key) : key;
}
