// AES-GCM-SIV (RFC 8452), which Node does not offer although OpenSSL has it.
import { gcmsiv } from '@noble/ciphers/aes.js';
import { keyBytes, type SecretKey } from '../key/secret-key.ts';
import { checkedTag, checkedTagLength, notAuthentic } from './aead.ts';
import type { Cipher } from './cipher.ts';
import { checkedIv, takesIv } from './initialization-vector.ts';

const RULE = { bytes: 12, min: 12, max: 12 };
const TAG_BYTES = 16;

/** Reuse of a nonce reveals only whether two texts are equal. It cannot stream, because the first counter is the tag of the whole text. */
export function gcmSiv(name: string, tagLength: number | undefined): Cipher {
  checkedTagLength([TAG_BYTES], tagLength);
  const siv = (key: SecretKey, iv: Uint8Array | undefined, aad: Uint8Array | undefined) => gcmsiv(keyBytes(key), checkedIv(name, RULE, iv), aad);
  return {
    ...{ name, ...takesIv(RULE), authenticated: true, tagBytes: TAG_BYTES },
    encrypt(key, { iv, aad, data }) {
      const sealed = siv(key, iv, aad).encrypt(data);
      return { data: sealed.subarray(0, data.length), tag: sealed.subarray(data.length) };
    },
    decrypt(key, { iv, aad, data, tag }) {
      const sealed = Buffer.concat([data, checkedTag(TAG_BYTES, tag)]);
      const cipher = siv(key, iv, aad);
      try {
        return cipher.decrypt(sealed);
      } catch (cause) {
        throw notAuthentic(cause);
      }
    },
  };
}
