// Published ciphertexts: RSA-OAEP, AES key wrap and its form with RSA around it, ML-KEM; what does not open is refused in the same words.
import assert from 'node:assert/strict';
import { constants, createPublicKey, publicEncrypt } from 'node:crypto';
import { test } from 'uvu';
import type { CryptographicAlgorithm } from '../../../crypto/parameters.ts';
import { data, type KeyHolder, type Parameters, raw, startKeyHolder, table } from './key-holder.ts';

interface Decryption {
  readonly source: string;
  readonly privateKey: string;
  readonly parameters: Parameters;
  /** Of an invalid ciphertext the message is null. */
  readonly tests: readonly {
    readonly id: number;
    readonly why: string;
    readonly label: string;
    readonly ciphertext: string;
    readonly message: string | null;
  }[];
}

interface Wrapping {
  readonly source: string;
  readonly mode: 'NISTKeyWrap' | 'AESKeyWrapPadding';
  readonly tests: readonly {
    readonly id: number;
    readonly why: string;
    readonly key: string;
    readonly message: string;
    readonly ciphertext: string;
    readonly valid: boolean;
  }[];
}

interface Encapsulation {
  readonly source: string;
  readonly algorithm: CryptographicAlgorithm;
  readonly tests: readonly {
    readonly id: number;
    readonly why: string;
    readonly seed?: string;
    readonly privateKey?: string;
    readonly publicKey?: string;
    readonly ciphertext: string;
    /** Null where the ciphertext is none. */
    readonly secret: string | null;
  }[];
}

const oaep = table<{ readonly decrypt: readonly Decryption[] }>('rsa').decrypt;
const wrappings = table<readonly Wrapping[]>('key-wrap');

/** One text for whatever does not open. */
const REFUSED = 'Cryptographic_Failure: CRYPTO: cannot decrypt: decryption failed';

let holder: KeyHolder;
test.before(async () => {
  holder = await startKeyHolder();
});
test.after(() => holder?.end());

const decrypted = (key: string, parameters: Parameters, ciphertext: string): Promise<string> =>
  holder.bytes('Data', 'Decrypt', key, parameters, data(ciphertext));

test('RSA-OAEP opens the valid published cases, with labels and other mask hashes; others share a refusal', async () => {
  const refusals = new Set<string>();
  for (const { source, privateKey, parameters, tests } of oaep) {
    const key = (await holder.hold('PrivateKey', privateKey)) as string;
    for (const { id, why, label, ciphertext, message } of tests) {
      const found = await decrypted(key, { ...parameters, ...(label !== '' && { PSource: label }) }, ciphertext);
      if (message === null) refusals.add(found);
      else assert.equal(found, message, `${source} ${id}, ${why}`);
    }
  }
  assert.deepEqual([...refusals], [REFUSED]);
});

test('AES key wrap of RFC 3394 and RFC 5649 makes the published ciphertext and opens it, and no other', async () => {
  for (const { source, mode, tests } of wrappings) {
    for (const { id, why, key: bytes, message, ciphertext, valid } of tests) {
      const key = await holder.holdSecret(bytes);
      const parameters = { BlockCipherMode: mode };
      const opened = await decrypted(key, parameters, ciphertext);
      if (!valid) assert.match(opened, /^(?:Cryptographic_Failure|Invalid_Field): /, `${source} ${id}, ${why}`);
      else {
        assert.equal(opened, message, `${source} ${id}, ${why}`);
        assert.equal(await holder.bytes('Data', 'Encrypt', key, parameters, data(message)), ciphertext, `${source} ${id}, ${why}`);
      }
    }
  }
});

test('the RSA-AES key wrap opens the published wrapping, whose key another RSA key wrapped, and no other', async () => {
  const [{ privateKey }] = oaep as readonly [Decryption];
  const key = (await holder.hold('PrivateKey', privateKey)) as string;
  const publicKey = createPublicKey({ key: Buffer.from(privateKey, 'hex'), format: 'der', type: 'pkcs8' } as never);
  const padding = { key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  // PKCS#11 version 3.0 section 2.1.21 (CKM_RSA_AES_KEY_WRAP): the AES key by OAEP, then what it wraps by RFC 5649.
  const both = (temporary: string, wrapped: string) => publicEncrypt(padding, raw(temporary)).toString('hex') + wrapped;
  const parameters = { PaddingMethod: 'None', HashingAlgorithm: 'SHA_256' };
  const tests = wrappings.filter(({ mode }) => mode === 'AESKeyWrapPadding').flatMap((group) => group.tests.filter((each) => each.key.length === 64));
  for (const { id, why, key: temporary, message, ciphertext, valid } of tests) {
    const found = await decrypted(key, parameters, both(temporary, ciphertext));
    assert.equal(found, valid ? message : REFUSED, `${id}, ${why}`);
  }
  assert.deepEqual(new Set(tests.map(({ valid }) => valid)), new Set([true, false]));
});

test('ML-KEM gives the published secret, for a changed ciphertext too, and none for what is no ciphertext', async () => {
  for (const { source, algorithm, tests } of table<readonly Encapsulation[]>('ml-kem')) {
    for (const { id, why, seed, privateKey, publicKey, ciphertext, secret } of tests) {
      const key = (await holder.hold('PrivateKey', (seed ?? privateKey) as string, algorithm)) as string;
      assert.equal(await decrypted(key, {}, ciphertext), secret ?? REFUSED, `${source} ${id}, ${why}`);
      if (publicKey === undefined) continue;
      const sender = (await holder.hold('PublicKey', publicKey, algorithm)) as string;
      const { members } = await holder.ask('Encrypt', sender, {}, []);
      assert.equal(
        await decrypted(key, {}, members['IVCounterNonce']),
        String(members['Data']).toLowerCase(),
        `${source} ${id}: the published keys are a pair`,
      );
    }
  }
});

test.run();
