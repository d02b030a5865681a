// Authenticated encryption with OpenSSL: GCM (NIST SP 800-38D), CCM (SP 800-38C) and ChaCha20-Poly1305 (RFC 8439).
import { type CipherGCMTypes, createCipheriv, createDecipheriv, type DecipherGCM } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { keyObject, type SecretKey } from '../key/secret-key.ts';
import type { Cipher, CipherStream, EncryptInput, StreamInput } from './cipher.ts';
import { checkedIv, type IvRule, takesIv } from './initialization-vector.ts';

/** SP 800-38D section 5.2.1.2. */
const GCM_TAGS = [4, 8, 12, 13, 14, 15, 16];
/** RFC 8439 defines 16 bytes only. A shorter tag is a prefix of that, with at least 12 bytes: GCM restricts the use of tags shorter than that. */
const POLY1305_TAGS = [12, 13, 14, 15, 16];
/** SP 800-38C appendix A.1. */
const CCM_TAGS = [4, 6, 8, 10, 12, 14, 16];
/** OpenSSL supports up to 128 bytes. */
const GCM_IV: IvRule = { bytes: 12, min: 1, max: 128 };
const POLY1305_IV: IvRule = { bytes: 12, min: 12, max: 12 };
const CCM_IV: IvRule = { bytes: 12, min: 7, max: 13 };

/**
 * Makes a GCM or ChaCha20-Poly1305 cipher.
 * @param tagLength in bytes, 16 by default
 */
export function aead(name: string, openssl: string, tagLength: number | undefined): Cipher {
  const poly1305 = openssl === 'chacha20-poly1305';
  const rule = poly1305 ? POLY1305_IV : GCM_IV;
  const tagBytes = checkedTagLength(poly1305 ? POLY1305_TAGS : GCM_TAGS, tagLength);
  const { start, startDecrypt } = starts(name, openssl as CipherGCMTypes, rule, tagBytes);
  return {
    ...{ name, ...takesIv(rule), authenticated: true, tagBytes },
    requireLengths(what, { iv, tag }) {
      if (what === 'decrypt') checkedTag(tagBytes, tag);
      checkedIv(name, rule, iv);
    },
    encrypt(key, input) {
      const cipher = start(key, input);
      const data = cipher.update(input.data);
      cipher.final();
      return { data, tag: cipher.getAuthTag() };
    },
    decrypt(key, input) {
      const tag = checkedTag(tagBytes, input.tag);
      const decipher = startDecrypt(key, input).setAuthTag(tag);
      const data = decipher.update(input.data);
      finish(decipher, data);
      return data;
    },
    encryptor(key, input): CipherStream {
      const cipher = start(key, input);
      return { update: (data) => cipher.update(data), final: () => ({ data: cipher.final(), tag: cipher.getAuthTag() }) };
    },
    decryptor(key, input): CipherStream {
      const decipher = startDecrypt(key, input);
      const final = (tag?: Uint8Array) => {
        decipher.setAuthTag(checkedTag(tagBytes, tag ?? input.tag));
        finish(decipher);
        return { data: new Uint8Array() };
      };
      return { update: (data) => decipher.update(data), final };
    },
  };
}

/** Functions that start encryption and decryption, with nonce and additional data already set. */
function starts(name: string, type: CipherGCMTypes, rule: IvRule, authTagLength: number) {
  const options = { authTagLength };
  const start = (key: SecretKey, { iv, aad }: StreamInput) => {
    const cipher = createCipheriv(type, keyObject(key), checkedIv(name, rule, iv), options);
    if (aad !== undefined && aad.length > 0) cipher.setAAD(aad);
    return cipher;
  };
  const startDecrypt = (key: SecretKey, { iv, aad }: StreamInput) => {
    const decipher = createDecipheriv(type, keyObject(key), checkedIv(name, rule, iv), options);
    if (aad !== undefined && aad.length > 0) decipher.setAAD(aad);
    return decipher;
  };
  return { start, startDecrypt };
}

/**
 * Makes a CCM cipher. CCM needs the length of the data before the first byte, so it cannot stream.
 * @param tagLength in bytes, 16 by default
 */
export function ccm(name: string, openssl: string, tagLength: number | undefined): Cipher {
  const tagBytes = checkedTagLength(CCM_TAGS, tagLength);
  const options = { authTagLength: tagBytes };
  const type = openssl as CipherGCMTypes;
  const nonceFor = ({ iv, data }: EncryptInput) => {
    const nonce = checkedIv(name, CCM_IV, iv);
    const max = 256 ** (15 - nonce.length);
    if (data.length >= max) throw new CryptoError('invalid', `with a nonce of ${nonce.length} bytes the data must have fewer than ${max} bytes`);
    return nonce;
  };
  return {
    ...{ name, ...takesIv(CCM_IV), authenticated: true, tagBytes },
    encrypt(key, input) {
      const cipher = createCipheriv(type, keyObject(key), nonceFor(input), options);
      cipher.setAAD(input.aad ?? new Uint8Array(), { plaintextLength: input.data.length });
      const data = cipher.update(input.data);
      cipher.final();
      return { data, tag: cipher.getAuthTag() };
    },
    decrypt(key, input) {
      const decipher = createDecipheriv(type, keyObject(key), nonceFor(input), options).setAuthTag(checkedTag(tagBytes, input.tag));
      decipher.setAAD(input.aad ?? new Uint8Array(), { plaintextLength: input.data.length });
      try {
        const data = decipher.update(input.data);
        decipher.final();
        return data;
      } catch (cause) {
        throw notAuthentic(cause);
      }
    },
  };
}

/** @throws CryptoError bad_tag_length, as the OASIS test cases CS-BC-M-GCM-1 and CS-BC-M-CHACHA20POLY1305-1 expect */
export function checkedTagLength(allowed: readonly number[], tagLength: number | undefined): number {
  const bytes = tagLength ?? 16;
  if (!allowed.includes(bytes))
    throw new CryptoError('bad_tag_length', `invalid tag length: ${allowed.join(', ')} bytes are allowed, but ${bytes} were requested`);
  return bytes;
}

/** The tag must have the requested length, because a shorter tag is easier to forge. */
export function checkedTag(tagBytes: number, tag: Uint8Array | undefined): Uint8Array {
  if (tag === undefined) throw new CryptoError('invalid', 'the authentication tag is missing');
  if (tag.length !== tagBytes) throw new CryptoError('invalid', `invalid tag length: ${tagBytes} bytes are needed, ${tag.length} were given`);
  return tag;
}

export function notAuthentic(cause: unknown): CryptoError {
  return new CryptoError(
    'failed',
    'the data is not authentic: the key, the nonce, the additional data, the tag or the data differs from those of the encryption',
    cause,
  );
}

function finish(decipher: DecipherGCM, plaintext?: Uint8Array): void {
  try {
    decipher.final();
  } catch (cause) {
    plaintext?.fill(0);
    throw notAuthentic(cause);
  }
}
