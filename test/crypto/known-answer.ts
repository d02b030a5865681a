// A published answer as a test: the ciphertext and tag out of the plaintext, and back.
import { deepEqual, equal } from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { test } from 'uvu';
import { cipherFor } from '../../crypto/cipher/cipher.ts';
import type { CryptographicAlgorithm, CryptographicParameters } from '../../crypto/parameters.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

interface Answer {
  readonly algorithm?: CryptographicAlgorithm;
  readonly key: string;
  readonly iv?: string;
  readonly aad?: string;
  readonly plaintext: string;
  readonly ciphertext: string;
  readonly tag?: string;
}

export function both(name: string, parameters: CryptographicParameters, { algorithm = 'AES', ...answer }: Answer): void {
  test(name, () => {
    const key = hex(answer.key);
    const cipher = cipherFor(algorithm, parameters, key.length);
    const input = { iv: answer.iv === undefined ? undefined : hex(answer.iv), aad: answer.aad === undefined ? undefined : hex(answer.aad) };
    const sealed = cipher.encrypt(key, { ...input, data: hex(answer.plaintext) });
    equal(Buffer.from(sealed.data).toString('hex'), answer.ciphertext.replaceAll(' ', ''));
    equal(sealed.tag === undefined ? undefined : Buffer.from(sealed.tag).toString('hex'), answer.tag);
    deepEqual(Buffer.from(cipher.decrypt(createSecretKey(key), { ...input, ...sealed })), hex(answer.plaintext));
  });
}
