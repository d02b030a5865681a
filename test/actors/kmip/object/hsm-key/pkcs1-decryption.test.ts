// PKCS#1 v1.5 on tokens of all habits: numbers without leading zeros, mechanisms that are listed and refused, and failures that are not of the data.
import assert from 'node:assert/strict';
import { constants, generateKeyPairSync, privateDecrypt, publicEncrypt } from 'node:crypto';
import { test } from 'uvu';
import type { KeyOnToken } from '../../../../../actors/kmip/object/hsm-key/key-on-token.ts';
import { decryptPkcs1 } from '../../../../../actors/kmip/object/hsm-key/pkcs1-decryption.ts';
import { refusalOf } from '../../../../../actors/kmip/object/hsm-key/token-refusal.ts';
import { privateKey as objectOf, refused } from '../../../../fakes/keys.ts';

const { privateKey: key, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const MESSAGE = Buffer.from('a message');
const right = publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_PADDING }, MESSAGE);
const wrong = publicEncrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, Buffer.alloc(256, 1));
const object = () => objectOf('pair', key, 'RSA');

/** A token that answers at first with these return values, where a text stands, and then as it should; and what it was asked. */
function tokenOf(wish: { readonly mechanisms?: readonly string[]; readonly raw?: readonly (string | undefined)[]; readonly strips?: boolean }) {
  const asked: string[] = [];
  const answers = [...(wish.raw ?? [])];
  const refuse = (text: string) => refusalOf({ why: 'refused', text }, { prefix: 'hsm::soft_hsm', slot: 0 }, 'it');
  const token = {
    mechanisms: wish.mechanisms && new Set(wish.mechanisms),
    async run(_: string, { name }: { name: string }, data: Uint8Array) {
      asked.push(name);
      const refusal = name === 'CKM_RSA_X_509' ? answers.shift() : undefined;
      if (refusal !== undefined) throw refuse(refusal);
      const block = privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, data);
      if (name === 'CKM_RSA_X_509') return wish.strips ? block.subarray(block.findIndex((byte) => byte !== 0)) : block;
      if (block[1] !== 2) throw refuse('CKR_ENCRYPTED_DATA_INVALID');
      return block.subarray(block.indexOf(0, 2) + 1);
    },
  };
  return { token: token as unknown as KeyOnToken, asked };
}

const decrypt = async (token: KeyOnToken, data: Uint8Array, of = object()) => Buffer.from(await decryptPkcs1(token, of, data));

test('a token that tells numbers without their leading zeros gives the answers of one that does not', async () => {
  const answers = await Promise.all([{ strips: true }, { strips: false }].map((wish) => decrypt(tokenOf(wish).token, wrong)));
  assert.deepEqual(answers[0], answers[1]);
  assert.deepEqual(await decrypt(tokenOf({ strips: true }).token, right), MESSAGE);
});

test('the challenge of a key is sent once, and each ciphertext once, whether right or wrong', async () => {
  const { token, asked } = tokenOf({});
  const one = object();
  for (const data of [right, wrong, wrong, right]) await decrypt(token, data, one);
  assert.deepEqual(asked, Array(5).fill('CKM_RSA_X_509'));
});

test('a token that lacks or refuses the mechanism removes the padding, and wrong ones have one answer', async () => {
  for (const { token, asked } of [tokenOf({ mechanisms: ['CKM_RSA_PKCS'] }), tokenOf({ raw: Array(9).fill('CKR_MECHANISM_INVALID') })]) {
    const one = object();
    assert.deepEqual(await decrypt(token, right, one), MESSAGE);
    await refused(() => decrypt(token, wrong, one), 'CryptographicFailure', /^decryption failed$/);
    // It is not asked in vain each time.
    assert.ok(asked.filter((name) => name === 'CKM_RSA_X_509').length <= 1, asked.join());
  }
});

test('after a failure that may be of any kind the next use asks for the challenge again', async () => {
  const { token } = tokenOf({ raw: ['CKR_GENERAL_ERROR'] });
  const one = object();
  assert.deepEqual(await decrypt(token, right, one), MESSAGE);
  assert.deepEqual(await decrypt(token, wrong, one), await decrypt(tokenOf({}).token, wrong));
});

test('a failure of the device is told as such, and what is no residue as what does not decrypt', async () => {
  for (const text of ['CKR_DEVICE_ERROR', 'CKR_DEVICE_MEMORY'])
    await refused(() => decrypt(tokenOf({ raw: [text] }).token, right), text.endsWith('ERROR') ? 'GeneralFailure' : 'ServerLimitExceeded', text);
  for (const text of ['CKR_ARGUMENTS_BAD', 'CKR_DATA_INVALID', 'CKR_GENERAL_ERROR'])
    await refused(() => decrypt(tokenOf({ raw: [undefined, text] }).token, right), 'CryptographicFailure', /^decryption failed$/);
});
test.run();
