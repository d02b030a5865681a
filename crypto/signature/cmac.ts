// CMAC (NIST SP 800-38B, RFC 4493) with AES or 3DES, built on the CBC mode because Node does not offer CMAC.
import { createCipheriv } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { keyObject, type SecretKey } from '../key/secret-key.ts';
import type { MacStream } from './mac.ts';

interface BlockCipher {
  readonly blockBytes: number;
  /** The constant R_b of section 5.3. */
  readonly reduction: number;
  /** OpenSSL's names without the mode, by the length of the key in bytes. */
  readonly openssl: Readonly<Record<number, string>>;
}

const CIPHER: Record<'AES' | 'DES3', BlockCipher> = {
  AES: { blockBytes: 16, reduction: 0x87, openssl: { 16: 'aes-128', 24: 'aes-192', 32: 'aes-256' } },
  DES3: { blockBytes: 8, reduction: 0x1b, openssl: { 16: 'des-ede', 24: 'des-ede3' } },
};

/** @throws CryptoError invalid for a key of the wrong length */
export function cmacStream(algorithm: 'AES' | 'DES3', key: SecretKey): MacStream {
  const { blockBytes, reduction, openssl } = CIPHER[algorithm];
  const object = keyObject(key);
  const bytes = object.symmetricKeySize ?? 0;
  const name = openssl[bytes];
  if (name === undefined) throw new CryptoError('invalid', `CMAC with ${algorithm} does not take a key of ${bytes * 8} bits`);
  const cbc = createCipheriv(`${name}-cbc`, object, new Uint8Array(blockBytes)).setAutoPadding(false);
  let held: Uint8Array = new Uint8Array();
  return {
    update(data) {
      const all = held.length === 0 ? data : Buffer.concat([held, data]);
      // digest() masks the last block, so even a full block waits until more data comes.
      const done = Math.max(0, Math.ceil(all.length / blockBytes) - 1) * blockBytes;
      if (done > 0) cbc.update(all.subarray(0, done));
      held = Uint8Array.from(all.subarray(done));
    },
    digest() {
      const zeros = createCipheriv(`${name}-ecb`, object, null).setAutoPadding(false).update(new Uint8Array(blockBytes));
      const first = doubleBlock(zeros, reduction);
      const last = held.length === blockBytes ? first : doubleBlock(first, reduction);
      held.forEach((byte, i) => {
        last[i] = (last[i] ?? 0) ^ byte;
      });
      if (held.length < blockBytes) last[held.length] = (last[held.length] ?? 0) ^ 0x80;
      return cbc.update(last);
    },
  };
}

/** Multiplies by x in GF(2^n), without a branch that depends on the secret bit. */
function doubleBlock(block: Uint8Array, reduction: number): Uint8Array {
  const out = block.map((byte, i) => (byte << 1) | ((block[i + 1] ?? 0) >> 7));
  const end = out.length - 1;
  out[end] = (out[end] ?? 0) ^ (reduction & -((block[0] ?? 0) >> 7));
  return out;
}
