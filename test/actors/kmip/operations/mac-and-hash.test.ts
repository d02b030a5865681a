// MAC, MACVerify and Hash of whole data, against published answers.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'uvu';
import { hash } from '../../../../actors/kmip/operations/hash.ts';
import { mac } from '../../../../actors/kmip/operations/mac.ts';
import { macVerify } from '../../../../actors/kmip/operations/mac-verify.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../../kmip/ttlv/mask.ts';
import { enumeration, longInteger, structure } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { hex, parameters, privateKey, refused, run, secret, secretData, utf8 } from '../../../fakes/keys.ts';
import { ObjectsInMemory } from '../../../fakes/objects.ts';

const BIT = MASK.CryptographicUsageMask;
/** RFC 4231 section 4.2. */
const KEY = hex('0b'.repeat(20));
const DATA = utf8('Hi There');
const HMAC_SHA256 = hex('b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7');

test('HMAC-SHA-256 by the algorithm of the key, of the object or of the request', async () => {
  const asHmac = new ObjectsInMemory([secret('k', KEY, 'HMAC_SHA256')]);
  assert.deepEqual(await run(mac, asHmac, { id: 'k', data: DATA }), { id: 'k', mac: HMAC_SHA256 });
  const generic = new ObjectsInMemory([secret('k', KEY, 'AES'), secretData('s', KEY)]);
  for (const id of ['k', 's'])
    for (const chosen of [{ hashingAlgorithm: 'SHA_256' }, { cryptographicAlgorithm: 'HMAC_SHA256' }] as const)
      assert.deepEqual((await run(mac, generic, { id, data: DATA, parameters: chosen })).mac, HMAC_SHA256);
  const stored = [parameters({ blockCipherMode: 'GCM' }), parameters({ cryptographicAlgorithm: 'HMAC_SHA256' })];
  const byObject = new ObjectsInMemory([secret('k', KEY, 'AES', { attributes: stored })]);
  assert.deepEqual((await run(mac, byObject, { id: 'k', data: DATA })).mac, HMAC_SHA256);
});

test('MACVerify says Valid for this MAC only', async () => {
  const ctx = new ObjectsInMemory([secret('k', KEY, 'HMAC_SHA256')]);
  const verified = async (request: object) => (await run(macVerify, ctx, { id: 'k', data: DATA, mac: HMAC_SHA256, ...request })).valid;
  assert.equal(await verified({}), true);
  assert.equal(await verified({ data: utf8('hi there') }), false);
  assert.equal(await verified({ mac: HMAC_SHA256.subarray(0, 16) }), false);
  assert.equal(await verified({ mac: HMAC_SHA256.map((byte) => byte ^ 1) }), false);
});

test('MACVerify with the generations of a keyset', async () => {
  const ctx = new ObjectsInMemory([secret('g1', hex('aa'.repeat(32)), 'HMAC_SHA256'), secret('g0', KEY, 'HMAC_SHA256', { state: ENUM.State.Deactivated })]);
  ctx.candidates = async () => [...ctx.objects.values()];
  assert.deepEqual(await run(macVerify, ctx, { id: 'set', data: DATA, mac: HMAC_SHA256 }), { id: 'g0', valid: true });
});

test('what is refused', async () => {
  const ctx = new ObjectsInMemory([secret('k', KEY, 'HMAC_SHA256'), secret('a', KEY, 'AES')]);
  await refused(
    run(mac, ctx, { id: 'k', data: DATA, parameters: { cryptographicAlgorithm: 'HMAC_SHA256', hashingAlgorithm: 'MD5' } }),
    'UnsupportedCryptographicParameters',
    'support',
  );
  await refused(run(mac, ctx, { id: 'a', data: DATA }), 'UnsupportedCryptographicParameters');
  await refused(run(mac, ctx, { id: 'k' }), 'InvalidMessage', 'data');
  await refused(run(macVerify, ctx, { id: 'k', data: DATA }), 'InvalidMessage', 'MACData');
  await refused(run(macVerify, ctx, { id: 'k', mac: HMAC_SHA256 }), 'InvalidMessage', 'data');
  const pair = new ObjectsInMemory([privateKey('k', generateKeyPairSync('ed25519').privateKey, 'Ed25519')]);
  await refused(run(mac, pair, { id: 'k', data: DATA, parameters: { hashingAlgorithm: 'SHA_256' } }), 'InvalidObjectType');
  const early = new ObjectsInMemory([secret('k', KEY, 'HMAC_SHA256', { state: ENUM.State.PreActive })]);
  await refused(run(mac, early, { id: 'k', data: DATA }), 'WrongKeyLifecycleState', 'no valid key');
  const masked = new ObjectsInMemory([secret('k', KEY, 'HMAC_SHA256', { mask: BIT.MACVerify })]);
  await refused(run(mac, masked, { id: 'k', data: DATA }), 'IncompatibleCryptographicUsageMask', 'no valid key');
  assert.equal((await run(macVerify, masked, { id: 'k', data: DATA, mac: HMAC_SHA256 })).valid, true);
  const once = structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, 8n), enumeration(TAG.UsageLimitsUnit, ENUM.UsageLimitsUnit.Byte)]);
  const limited = new ObjectsInMemory([secret('k', KEY, 'HMAC_SHA256', { attributes: [once] })]);
  await run(mac, limited, { id: 'k', data: DATA });
  await refused(run(mac, limited, { id: 'k', data: DATA }), 'UsageLimitExceeded');
});

test('Hash of FIPS 180-4 and 202', async () => {
  const ctx = new ObjectsInMemory([]);
  const of = async (hashingAlgorithm: 'SHA_256' | 'SHA3_256') =>
    Buffer.from((await run(hash, ctx, { data: utf8('abc'), parameters: { hashingAlgorithm } })).data as Uint8Array).toString('hex');
  assert.equal(await of('SHA_256'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  assert.equal(await of('SHA3_256'), '3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532');
  await refused(run(hash, ctx, { parameters: { hashingAlgorithm: 'SHA_256' } }), 'InvalidMessage', 'data');
  await refused(run(hash, ctx, { data: DATA }), 'InvalidMessage', 'CryptographicParameters');
  await refused(run(hash, ctx, { data: DATA, parameters: { blockCipherMode: 'GCM' } }), 'InvalidMessage', 'HashingAlgorithm');
  await refused(run(hash, ctx, { data: DATA, parameters: { hashingAlgorithm: 'Tiger' } }), 'UnsupportedCryptographicParameters');
});

test.run();
