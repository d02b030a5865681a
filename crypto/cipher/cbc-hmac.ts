// AES-CBC with HMAC: the authenticated encryption of JWE (RFC 7518 section 5.2).
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { keyObject } from '../key/secret-key.ts';
import type { CryptographicParameters, HashingAlgorithm } from '../parameters.ts';
import { requireOn } from '../switched-off.ts';
import { checkedTag, notAuthentic } from './aead.ts';
import type { Cipher } from './cipher.ts';
import { checkedIv, type IvRule, takesIv } from './initialization-vector.ts';

const IV: IvRule = { bytes: 16, min: 16, max: 16 };

interface Mode {
  readonly hash: string;
  /** Length of both halves together, in bytes. */
  readonly keyBytes: number;
}

const MODES: Partial<Record<HashingAlgorithm, Mode>> = {
  SHA_256: { hash: 'sha256', keyBytes: 32 },
  SHA_384: { hash: 'sha384', keyBytes: 48 },
  SHA_512: { hash: 'sha512', keyBytes: 64 },
};

const made = new Map<HashingAlgorithm, Cipher>();

/**
 * Makes the cipher for the hash of its HMAC: SHA-256, SHA-384 or SHA-512. It cannot stream, because it must not decrypt before the HMAC is verified.
 * @param keyBytes length of both keys together
 * @throws CryptoError unsupported for another hash, invalid for a key of the wrong length
 */
export function cbcHmac({ hashingAlgorithm }: CryptographicParameters, keyBytes: number): Cipher {
  const mode = hashingAlgorithm && MODES[hashingAlgorithm];
  if (!hashingAlgorithm || !mode) throw new CryptoError('unsupported', `AES-CBC with HMAC takes SHA-256, SHA-384 or SHA-512, not ${hashingAlgorithm}`);
  if (mode.keyBytes !== keyBytes)
    throw new CryptoError('invalid', `AES-CBC with an HMAC of ${hashingAlgorithm} takes a key of ${mode.keyBytes * 8} bits, this one has ${keyBytes * 8}`);
  requireOn(`AES-CBC-HMAC-${hashingAlgorithm}`);
  let cipher = made.get(hashingAlgorithm);
  if (cipher === undefined) {
    cipher = withHmac(mode);
    made.set(hashingAlgorithm, cipher);
  }
  return cipher;
}

function withHmac({ hash, keyBytes }: Mode): Cipher {
  const name = `AES-${keyBytes * 4}-CBC-HMAC-${hash.toUpperCase()}`;
  const openssl = `aes-${keyBytes * 4}-cbc`;
  const tagBytes = keyBytes / 2;
  return {
    ...{ name, ...takesIv(IV), authenticated: true, tagBytes },
    encrypt(key, input) {
      const { cipher: cipherKey, mac } = halves(keyObject(key));
      const iv = checkedIv(name, IV, input.iv);
      const cipher = createCipheriv(openssl, cipherKey, iv);
      const data = Buffer.concat([cipher.update(input.data), cipher.final()]);
      return { data, tag: tagOf(hash, mac, input.aad, iv, data, tagBytes) };
    },
    decrypt(key, input) {
      const { cipher: cipherKey, mac } = halves(keyObject(key));
      const iv = checkedIv(name, IV, input.iv);
      const tag = checkedTag(tagBytes, input.tag);
      if (!timingSafeEqual(tag, tagOf(hash, mac, input.aad, iv, input.data, tagBytes))) throw notAuthentic(undefined);
      const decipher = createDecipheriv(openssl, cipherKey, iv);
      try {
        return Buffer.concat([decipher.update(input.data), decipher.final()]);
      } catch (cause) {
        throw notAuthentic(cause);
      }
    },
  };
}

interface Halves {
  readonly cipher: KeyObject;
  readonly mac: KeyObject;
}

const known = new WeakMap<KeyObject, Halves>();

/** The first half is the MAC key (RFC 7518 section 5.2.2.1). Returns key objects, which OpenSSL accepts five times as fast as bytes. */
function halves(key: KeyObject): Halves {
  let both = known.get(key);
  if (both === undefined) {
    const bytes = key.export();
    const half = bytes.length / 2;
    both = { cipher: createSecretKey(bytes.subarray(half)), mac: createSecretKey(bytes.subarray(0, half)) };
    bytes.fill(0);
    known.set(key, both);
  }
  return both;
}

/** The tag is the first half of the MAC (RFC 7518 section 5.2.2.1 step 6). */
function tagOf(hash: string, key: KeyObject, additional: Uint8Array | undefined, iv: Uint8Array, data: Uint8Array, tagBytes: number): Buffer {
  const aad = additional ?? new Uint8Array();
  const bits = Buffer.alloc(8);
  bits.writeBigUInt64BE(BigInt(aad.length) * 8n);
  return createHmac(hash, key).update(aad).update(iv).update(data).update(bits).digest().subarray(0, tagBytes);
}
