// What every RSA key must do with ciphertexts whose padding is wrong: nobody who may ask for decryptions learns it (Bleichenbacher 1998).
import assert from 'node:assert/strict';
import { constants, generateKeyPairSync, type KeyObject, publicEncrypt, randomBytes } from 'node:crypto';
import { type Key, keyOf } from '../../../actors/kmip/object/key.ts';
import { refused } from '../../fakes/keys.ts';
import { MESSAGE } from './key-mechanisms.ts';
import { equal, type PlaceUnderTest } from './key-place.ts';

const CHOICE = { algorithm: undefined, parameters: { paddingMethod: 'PKCS1V1_5' } } as const;
const BYTES = 256;

const encrypted = (key: KeyObject, block: Uint8Array): Buffer => publicEncrypt({ key, padding: constants.RSA_NO_PADDING }, block);
const decrypted = async (key: Key, data: Uint8Array): Promise<string> => Buffer.from(await key.decrypt({ ...CHOICE, data })).toString('hex');
const block = (...start: number[]): Buffer => Buffer.concat([Buffer.from(start), Buffer.alloc(BYTES - start.length, 0xa5)]);

/** Right but for one thing each. */
const WRONG: Readonly<Record<string, () => Buffer>> = {
  'the second byte': () => Object.assign(block(0, 1), { 100: 0 }),
  'the first byte': () => Object.assign(block(1, 2), { 100: 0 }),
  'a zero in the first eight bytes': () => Object.assign(block(0, 2), { 9: 0, 100: 0 }),
  'no end of the padding': () => block(0, 2),
  'all of it': () => Buffer.concat([Buffer.of(0), randomBytes(BYTES - 1)]),
};

/** Registers them. */
export function paddingUses(under: PlaceUnderTest): void {
  if (!under.place.can.has('RSA-PKCS1 encryption')) return;

  const pair = async (): Promise<{ privateKey: Key; publicKey: KeyObject }> => {
    const objects = await under.place.pair('pair', 'RSA', generateKeyPairSync('rsa', { modulusLength: BYTES * 8 }));
    assert.ok(objects);
    const ctx = await under.context();
    return { privateKey: keyOf(objects.privateKey, ctx), publicKey: await keyOf(objects.publicKey, ctx).publicKey() };
  };

  under.test('a wrong PKCS#1 v1.5 padding gives bytes, the same each time, others for each ciphertext', async () => {
    const { privateKey, publicKey } = await pair();
    const answers = new Set<string>();
    const ciphertexts = [...Object.values(WRONG), ...Array(20).fill(WRONG['all of it'])].map((made) => encrypted(publicKey, made()));
    for (const data of ciphertexts) {
      const answer = await decrypted(privateKey, data);
      assert.equal(await decrypted(privateKey, data), answer);
      assert.ok(answer.length / 2 <= BYTES - 11);
      answers.add(answer);
    }
    assert.ok(answers.size > ciphertexts.length - 3, `${answers.size} answers to ${ciphertexts.length} ciphertexts`);
  });

  under.test('a right PKCS#1 v1.5 padding gives its message, the longest and none too', async () => {
    const { privateKey, publicKey } = await pair();
    for (const message of [MESSAGE, Buffer.alloc(0), randomBytes(BYTES - 11), Buffer.alloc(32)]) {
      const data = publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_PADDING }, message);
      equal(await privateKey.decrypt({ ...CHOICE, data }), message);
    }
  });

  under.test('what is no ciphertext of the key is refused, which shows its number and length only', async () => {
    const { privateKey, publicKey } = await pair();
    const { data } = { data: encrypted(publicKey, block(0, 2)) };
    for (const wrong of [Buffer.alloc(BYTES, 0xff), data.subarray(1), Buffer.concat([data, data.subarray(0, 1)]), Buffer.alloc(0)])
      await refused(async () => privateKey.decrypt({ ...CHOICE, data: wrong }), 'CryptographicFailure', 'decryption failed');
  });
}
