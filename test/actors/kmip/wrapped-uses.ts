// What a key of a place does for keys that it has wrapped: they are used there, if it unwraps them, and are right.
import assert from 'node:assert/strict';
import { createDecipheriv, createHmac, generateKeyPairSync, randomBytes } from 'node:crypto';
import { type Key, keyOf } from '../../../actors/kmip/object/key.ts';
import type { CryptographicAlgorithm, CryptographicParameters } from '../../../crypto/parameters.ts';
import { integer } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { secret } from '../../fakes/keys.ts';
import { equal, type PlaceUnderTest } from './key-place.ts';

const DATA = Buffer.from('used where the wrapping key lies');
const CBC: CryptographicParameters = { blockCipherMode: 'CBC', paddingMethod: 'PKCS5' };

/** The key of a value that is wrapped; undefined if the place does not unwrap it for its use there. */
async function held(wrapper: Key, unwrapper: Key, parameters: CryptographicParameters, value: Uint8Array, algorithm: CryptographicAlgorithm) {
  const { data, iv } = await wrapper.wrap(parameters, value);
  const object = secret(`wrapped ${algorithm}`, new Uint8Array(32), algorithm, { attributes: [integer(TAG.CryptographicLength, value.length * 8)] });
  const inClear = async () => {
    throw new Error('the key is not to leave its place');
  };
  return unwrapper.hold?.(object, { parameters, data, ...(iv && { iv }), format: 'Raw' }, inClear);
}

async function isRight(wrapper: Key, unwrapper: Key, parameters: CryptographicParameters): Promise<void> {
  const value = randomBytes(32);
  const aes = await held(wrapper, unwrapper, parameters, value, 'AES');
  assert.ok(aes, 'it is unwrapped there');
  const choice = { algorithm: 'AES' as const, parameters: CBC };
  const sealed = await aes.encrypt({ ...choice, data: DATA });
  const cipher = createDecipheriv('aes-256-cbc', value, sealed.iv as Uint8Array);
  equal(Buffer.concat([cipher.update(sealed.data), cipher.final()]), DATA);
  equal(await aes.decrypt({ ...choice, iv: sealed.iv, data: sealed.data }), DATA);
  const hmac = await held(wrapper, unwrapper, parameters, value, 'HMAC_SHA256');
  equal((await hmac?.mac({ parameters: {}, data: DATA })) as Uint8Array, createHmac('sha256', value).update(DATA).digest());
}

export function wrappedUses(under: PlaceUnderTest): void {
  const { place } = under;
  if (place.holds?.includes('AES-KW'))
    under.test('keys that AES key wrap has wrapped are used here', async () => {
      const key = await under.secret('AES', '07'.repeat(32));
      await isRight(key, key, { blockCipherMode: 'NISTKeyWrap' });
    });
  if (place.holds?.includes('RSA'))
    under.test('keys that RSA has wrapped are used here', async () => {
      const objects = await place.pair('pair', 'RSA', generateKeyPairSync('rsa', { modulusLength: 2048 }));
      assert.ok(objects);
      const ctx = await under.context();
      await isRight(keyOf(objects.publicKey, ctx), keyOf(objects.privateKey, ctx), { paddingMethod: 'PKCS1V1_5' });
    });
}
