// AES key wrap (NIST SP 800-38F): KW (RFC 3394, KMIP's NISTKeyWrap), and KWP with padding (RFC 5649, KMIP's AESKeyWrapPadding).
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { keyObject } from '../key/secret-key.ts';
import type { Cipher, CipherLengths } from './cipher.ts';

interface WrapMode {
  readonly openssl: string;
  /** The default integrity check value of RFC 3394 section 2.2.3.1 or RFC 5649 section 3. */
  readonly initialValue: Buffer;
  accepts(plaintextBytes: number): boolean;
  readonly takes: string;
  readonly minWrapped: number;
}

const MODE: Record<'NISTKeyWrap' | 'AESKeyWrapPadding', WrapMode> = {
  NISTKeyWrap: {
    ...{ openssl: 'wrap', initialValue: Buffer.alloc(8, 0xa6), minWrapped: 24 },
    accepts: (bytes) => bytes >= 16 && bytes % 8 === 0,
    takes: 'at least 16 bytes, a multiple of 8',
  },
  AESKeyWrapPadding: {
    ...{ openssl: 'wrap-pad', initialValue: Buffer.from('a65959a6', 'hex'), minWrapped: 16 },
    accepts: (bytes) => bytes > 0,
    takes: 'at least one byte',
  },
};

/** @returns undefined for the default initial value, which an empty one means too @throws CryptoError invalid for one of another length */
export function otherInitialValue(mode: keyof typeof MODE, iv: Uint8Array | undefined): Uint8Array | undefined {
  const { initialValue } = MODE[mode];
  if (iv === undefined || iv.length === 0 || initialValue.equals(iv)) return undefined;
  if (iv.length !== initialValue.length)
    throw new CryptoError('invalid', `invalid IV/nonce length: ${initialValue.length} bytes are needed, ${iv.length} were given`);
  return iv;
}

/** Deterministic: needs no IV, but accepts another initial value of 8 bytes (RFC 3394) or 4 bytes (RFC 5649). It cannot stream. */
export function keyWrap(name: string, mode: keyof typeof MODE, keyBytes: number): Cipher {
  const { openssl, initialValue, accepts, takes, minWrapped } = MODE[mode];
  const type = `aes${keyBytes * 8}-${openssl}`;
  const initial = (iv: Uint8Array | undefined) => otherInitialValue(mode, iv) ?? initialValue;
  const requireLengths = (what: 'encrypt' | 'decrypt', { iv, bytes }: CipherLengths): void => {
    if (what === 'encrypt' && !accepts(bytes)) throw new CryptoError('invalid', `${name} wraps ${takes}; ${bytes} bytes were given`);
    if (what === 'decrypt' && (bytes < minWrapped || bytes % 8 !== 0))
      throw new CryptoError('invalid', `${name} unwraps at least ${minWrapped} bytes, a multiple of 8; ${bytes} bytes were given`);
    otherInitialValue(mode, iv);
  };
  return {
    ...{ name, ivBytes: undefined, ivRule: undefined, acceptsIv: (bytes) => bytes === 0 || bytes === initialValue.length, authenticated: false, tagBytes: 0 },
    requireLengths,
    encrypt(key, { iv, data }) {
      requireLengths('encrypt', { iv, bytes: data.length });
      return { data: createCipheriv(type, keyObject(key), initial(iv)).update(data) };
    },
    decrypt(key, { iv, data }) {
      requireLengths('decrypt', { iv, bytes: data.length });
      const decipher = createDecipheriv(type, keyObject(key), initial(iv));
      try {
        return decipher.update(data);
      } catch (cause) {
        throw notUnwrapped(cause);
      }
    },
  };
}

export function notUnwrapped(cause?: unknown): CryptoError {
  return new CryptoError('failed', 'the key could not be unwrapped: its integrity check fails', cause);
}
