// The lengths that a cipher refuses whatever the key is, asked for by themselves: as the cipher refuses them when it works.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import { type Cipher, cipherFor } from '../../../crypto/cipher/cipher.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import type { CryptographicParameters } from '../../../crypto/parameters.ts';

const KEY = new Uint8Array(randomBytes(32));

/** All modes that tokens have, with a length of IV that fits. */
const MODES: readonly (readonly [CryptographicParameters, number | undefined])[] = [
  [{ blockCipherMode: 'GCM' }, 12],
  [{ blockCipherMode: 'GCM', tagLength: 12 }, 12],
  [{ blockCipherMode: 'CBC' }, 16],
  [{ blockCipherMode: 'CBC', paddingMethod: 'None' }, 16],
  [{ blockCipherMode: 'ECB' }, undefined],
  [{ blockCipherMode: 'ECB', paddingMethod: 'PKCS5' }, undefined],
  [{ blockCipherMode: 'CTR' }, 16],
  [{ blockCipherMode: 'CTR', counterLength: 1 }, 16],
  [{ blockCipherMode: 'CTR', initialCounterValue: 1 }, 12],
  [{ blockCipherMode: 'CFB' }, 16],
  [{ blockCipherMode: 'OFB' }, 16],
  [{ blockCipherMode: 'NISTKeyWrap' }, undefined],
  [{ blockCipherMode: 'AESKeyWrapPadding' }, undefined],
];
const SIZES = [0, 1, 7, 8, 15, 16, 17, 24, 31, 32, 33, 40, 48];

function codeOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

function same(cipher: Cipher, name: string, iv: Uint8Array | undefined, size: number, tag: Uint8Array | undefined): void {
  const data = new Uint8Array(size);
  const asked = (what: 'encrypt' | 'decrypt') => codeOf(() => cipher.requireLengths?.(what, { iv, bytes: size, tag }));
  assert.equal(
    asked('encrypt'),
    codeOf(() => cipher.encrypt(KEY, { iv, data })),
    `${name} encrypts ${size}`,
  );
  const decrypted = codeOf(() => cipher.decrypt(KEY, { iv, data, tag }));
  const decryption = asked('decrypt');
  // Data of a right length may still be of another key.
  if (decryption !== undefined || !decrypted?.startsWith('failed')) assert.equal(decryption, decrypted, `${name} decrypts ${size}`);
}

test('for every mode and length of data, IV and tag the refusal is the one of the cipher itself', () => {
  for (const [parameters, ivBytes] of MODES) {
    const cipher = cipherFor('AES', parameters, KEY.length);
    assert.ok(cipher.requireLengths, cipher.name);
    const ivs =
      ivBytes === undefined ? [undefined, new Uint8Array(8), new Uint8Array(3)] : [ivBytes, ivBytes - 1, ivBytes + 1].map((bytes) => new Uint8Array(bytes));
    for (const iv of [...ivs, undefined])
      for (const size of SIZES)
        for (const tag of cipher.tagBytes > 0 ? [undefined, ...[0, 4, 12, 16].map((bytes) => new Uint8Array(bytes))] : [undefined])
          same(cipher, `${JSON.stringify(parameters)} with an IV of ${iv?.length}`, iv, size, tag);
  }
});

test.run();
