// Multi-part operations: the same result as in one part, however the data are cut; what a correlation value is bound to; limits.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { test } from 'uvu';
import type { Draft } from '../../../../actors/kmip/object/managed-object.ts';
import type { Operation } from '../../../../actors/kmip/operation.ts';
import { decrypt } from '../../../../actors/kmip/operations/decrypt.ts';
import { encrypt } from '../../../../actors/kmip/operations/encrypt.ts';
import { hash } from '../../../../actors/kmip/operations/hash.ts';
import { mac } from '../../../../actors/kmip/operations/mac.ts';
import { macVerify } from '../../../../actors/kmip/operations/mac-verify.ts';
import { sign } from '../../../../actors/kmip/operations/sign.ts';
import { signatureVerify } from '../../../../actors/kmip/operations/signature-verify.ts';
import type { StreamArgs } from '../../../../actors/stream/api.ts';
import type { CryptographicParameters } from '../../../../crypto/parameters.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { enumeration, longInteger, structure } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { hex, privateKey, publicKey, type Request, type Response, refused, run, secret, utf8 } from '../../../fakes/keys.ts';
import { ObjectsInMemory } from '../../../fakes/objects.ts';
import { streamsHere } from '../../../fakes/streams.ts';

const KEY = hex('00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff');
const IV = hex('000102030405060708090a0b0c0d0e0f');

async function world(objects: Draft[], limits: StreamArgs = {}, time?: () => number) {
  return new ObjectsInMemory(objects, { streams: await streamsHere(limits, time) });
}

/** All parts of an operation; outputs joined. The last request gets `last` as well. */
async function inParts(operation: Operation, ctx: ObjectsInMemory, request: Request, parts: readonly Uint8Array[], last: Request = {}): Promise<Response> {
  const [first, ...rest] = parts;
  const begun = await run(operation, ctx, { ...request, init: true, ...(first && { data: first }) });
  const value = begun.value as Uint8Array;
  assert.equal(value.length, 16);
  const outputs = [begun.data ?? new Uint8Array()];
  for (const data of rest) outputs.push((await run(operation, ctx, { ...request, value, data })).data ?? new Uint8Array());
  const end = await run(operation, ctx, { ...request, ...last, value, final: true });
  assert.equal(end.value, undefined);
  return { ...end, ...(end.data && { data: new Uint8Array(Buffer.concat([...outputs, end.data])) }) };
}

const pieces = fc.array(fc.uint8Array({ maxLength: 70 }), { minLength: 1, maxLength: 6 });
const whole = (parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

const CIPHERS: [string, CryptographicParameters, number][] = [
  ['AES-GCM', { blockCipherMode: 'GCM' }, 12],
  ['AES-CBC', { blockCipherMode: 'CBC', paddingMethod: 'PKCS5' }, 16],
  ['AES-CTR', { blockCipherMode: 'CTR' }, 16],
  ['AES-ECB', { blockCipherMode: 'ECB', paddingMethod: 'PKCS5' }, 0],
  ['ChaCha20-Poly1305', { cryptographicAlgorithm: 'ChaCha20Poly1305' }, 12],
];

for (const [name, parameters, ivBytes] of CIPHERS) {
  test(`${name} in parts is the same as at once, in both directions`, async () => {
    const ctx = await world([secret('k', KEY)]);
    const request = { id: 'k', parameters, ...(ivBytes > 0 && { iv: IV.subarray(0, ivBytes) }), ...(name.includes('GCM') && { aad: utf8('aad') }) };
    await fc.assert(
      fc.asyncProperty(pieces, async (parts) => {
        const once = await run(encrypt, ctx, { ...request, data: whole(parts) });
        assert.deepEqual(await inParts(encrypt, ctx, request, parts), once);
        const sealed: Uint8Array[] = [];
        let rest = once.data as Uint8Array;
        for (const { length } of parts) {
          sealed.push(rest.slice(0, length));
          rest = rest.slice(length);
        }
        sealed.push(rest);
        const tag = once.tag && { tag: once.tag };
        assert.deepEqual((await inParts(decrypt, ctx, request, sealed, { ...tag })).data, whole(parts));
        assert.deepEqual((await inParts(decrypt, ctx, { ...request, ...tag }, sealed)).data, whole(parts));
      }),
      { numRuns: 20 },
    );
  });
}

test('a random IV is told with the first part, and the tag of a wrong decryption fails at the end', async () => {
  const ctx = await world([secret('k', KEY)]);
  const begun = await run(encrypt, ctx, { id: 'k', init: true, data: utf8('one ') });
  assert.equal(begun.iv?.length, 12);
  const end = await run(encrypt, ctx, { id: 'k', value: begun.value as Uint8Array, data: utf8('two'), final: true });
  assert.deepEqual(Object.keys(end).sort(), ['data', 'id', 'tag']);
  const sealed = { id: 'k', data: whole([begun.data, end.data] as Uint8Array[]), iv: begun.iv as Uint8Array };
  assert.deepEqual((await run(decrypt, ctx, { ...sealed, tag: end.tag as Uint8Array })).data, utf8('one two'));
  const { value } = await run(decrypt, ctx, { ...sealed, init: true });
  await refused(
    run(decrypt, ctx, { id: 'k', value: value as Uint8Array, tag: new Uint8Array(16), final: true }),
    'CryptographicFailure',
    'CRYPTO: cannot decrypt',
  );
  await refused(run(decrypt, ctx, { id: 'k', value: value as Uint8Array, tag: end.tag as Uint8Array, final: true }), 'InvalidCorrelationValue');
});

test('a tag with the last part of a mode that authenticates nothing is refused', async () => {
  const ctx = await world([secret('k', KEY)]);
  for (const [name, parameters, ivBytes] of CIPHERS.slice(1, 4)) {
    const request = { id: 'k', parameters, ...(ivBytes > 0 && { iv: IV }) };
    const data = (await run(encrypt, ctx, { ...request, data: KEY })).data as Uint8Array;
    const value = (await run(decrypt, ctx, { ...request, data, init: true })).value as Uint8Array;
    const last = { id: 'k', value, final: true as const, tag: IV };
    await refused(run(decrypt, ctx, last), 'InvalidField', /does not authenticate data; leave out AuthenticatedEncryptionTag/);
    assert.equal((await inParts(decrypt, ctx, request, [data])).data?.length, KEY.length, name);
  }
});

test('MAC, hash and signatures in parts', async () => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const edwards = generateKeyPairSync('ed25519');
  const ctx = await world([
    secret('k', KEY, 'HMAC_SHA256'),
    ...[privateKey('sk', pair.privateKey, 'ECDSA'), publicKey('pk', pair.publicKey, 'ECDSA')],
    ...[privateKey('esk', edwards.privateKey, 'Ed25519'), publicKey('epk', edwards.publicKey, 'Ed25519')],
  ]);
  await fc.assert(
    fc.asyncProperty(pieces, async (parts) => {
      const data = whole(parts);
      const made = await run(mac, ctx, { id: 'k', data });
      assert.deepEqual(await inParts(mac, ctx, { id: 'k' }, parts), made);
      assert.deepEqual(await inParts(macVerify, ctx, { id: 'k' }, parts, { mac: made.mac as Uint8Array }), { id: 'k', valid: true });
      assert.equal((await inParts(macVerify, ctx, { id: 'k' }, parts, { mac: new Uint8Array(32) })).valid, false);
      const parameters = { hashingAlgorithm: 'SHA3_384' } as const;
      assert.deepEqual(await inParts(hash, ctx, { parameters }, parts), await run(hash, ctx, { parameters, data }));
      for (const [sk, pk] of [
        ['sk', 'pk'],
        ['esk', 'epk'],
      ] as const) {
        const { signature } = (await inParts(sign, ctx, { id: sk }, parts)) as { signature: Uint8Array };
        assert.deepEqual(await run(signatureVerify, ctx, { id: pk, data, signature }), { id: pk, valid: true });
        assert.deepEqual(await inParts(signatureVerify, ctx, { id: pk }, parts, { signature }), { id: pk, valid: true });
        assert.equal((await inParts(signatureVerify, ctx, { id: pk }, [...parts, utf8('x')], { signature })).valid, false);
      }
    }),
    { numRuns: 10 },
  );
});

test('init and final together are one part; other combinations are refused', async () => {
  const ctx = await world([secret('k', KEY, 'HMAC_SHA256')]);
  const request = { id: 'k', data: utf8('x') };
  assert.deepEqual(await run(mac, ctx, { ...request, init: true, final: true }), await run(mac, ctx, request));
  assert.deepEqual(await run(mac, ctx, { ...request, init: false, final: false }), await run(mac, ctx, request));
  await refused(run(mac, ctx, { ...request, final: true }), 'InvalidField', 'FinalIndicator');
  const { value } = (await run(mac, ctx, { ...request, init: true })) as { value: Uint8Array };
  await refused(run(mac, ctx, { ...request, init: true, value }), 'InvalidField', 'InitIndicator');
  await refused(run(mac, ctx, { id: 'k', value }), 'InvalidMessage', 'data');
});

test('a correlation value belongs to its user, operation and object', async () => {
  const streams = await streamsHere();
  const objects = [secret('k', KEY), secret('o', KEY)];
  const ctx = new ObjectsInMemory(objects, { streams });
  const { value } = (await run(encrypt, ctx, { id: 'k', init: true, data: utf8('x') })) as { value: Uint8Array };
  const bob = new ObjectsInMemory([secret('k', KEY, 'AES', { owner: 'acme/bob' })], { streams, caller: { ...ctx.caller, user: 'acme/bob' } });
  const next = { id: 'k', value, data: utf8('y') };
  await refused(run(encrypt, bob, next), 'InvalidCorrelationValue');
  await refused(run(encrypt, ctx, { ...next, id: 'o' }), 'InvalidCorrelationValue');
  await refused(run(decrypt, ctx, next), 'InvalidCorrelationValue');
  await refused(run(encrypt, ctx, { ...next, value: value.map((byte) => byte ^ 1) }), 'InvalidCorrelationValue');
  await refused(run(encrypt, ctx, { ...next, value: new Uint8Array() }), 'InvalidCorrelationValue');
  // None of these attempts ended it.
  await run(encrypt, ctx, { ...next, final: true });
  await refused(run(encrypt, ctx, next), 'InvalidCorrelationValue');
});

test('the key is looked at again for every part', async () => {
  const ctx = await world([secret('k', KEY)]);
  const { value } = (await run(encrypt, ctx, { id: 'k', init: true, data: utf8('x') })) as { value: Uint8Array };
  const key = ctx.objects.get('k') as Draft;
  key.state = ENUM.State.Deactivated;
  await refused(run(encrypt, ctx, { id: 'k', value, data: utf8('y') }), 'WrongKeyLifecycleState');
});

test('every part spends usage limits', async () => {
  const limit = structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, 10n), enumeration(TAG.UsageLimitsUnit, ENUM.UsageLimitsUnit.Byte)]);
  const ctx = await world([secret('k', KEY, 'AES', { attributes: [limit] })]);
  const { value } = (await run(encrypt, ctx, { id: 'k', init: true, data: utf8('12345') })) as { value: Uint8Array };
  await run(encrypt, ctx, { id: 'k', value, data: utf8('12345') });
  await refused(run(encrypt, ctx, { id: 'k', value, data: utf8('1') }), 'PermissionDenied');
  await run(encrypt, ctx, { id: 'k', value, final: true });
});

test('several parts are one object of usage limits', async () => {
  const limit = (total: bigint) =>
    structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, total), enumeration(TAG.UsageLimitsUnit, ENUM.UsageLimitsUnit.Object)]);
  const ctx = await world([secret('k', KEY, 'AES', { attributes: [limit(1n)] }), secret('m', KEY, 'HMAC_SHA256', { attributes: [limit(1n)] })]);
  for (const [operation, id] of [
    [encrypt, 'k'],
    [mac, 'm'],
  ] as const) {
    const { value } = (await run(operation, ctx, { id, init: true, data: utf8('12345') })) as { value: Uint8Array };
    await run(operation, ctx, { id, value, data: utf8('12345') });
    await run(operation, ctx, { id, value, data: utf8('1'), final: true });
    await refused(run(operation, ctx, { id, init: true, data: utf8('1') }), operation === mac ? 'UsageLimitExceeded' : 'PermissionDenied');
  }
});

test('modes that need all data at once do not begin', async () => {
  const ctx = await world([secret('k', KEY)]);
  for (const blockCipherMode of ['NISTKeyWrap', 'CCM', 'GCMSIV', 'XTS'] as const)
    for (const operation of [encrypt, decrypt])
      await refused(
        run(operation, ctx, { id: 'k', parameters: { blockCipherMode }, iv: IV, data: IV, init: true }),
        'UnsupportedCryptographicParameters',
        'multi-part',
      );
});

test('limits: streams in all and of a user, bytes of one, idleness', async () => {
  let now = 0;
  const begin = (ctx: ObjectsInMemory) => run(hash, ctx, { parameters: { hashingAlgorithm: 'SHA_256' }, data: utf8('x'), init: true });
  const streams = await streamsHere({ streams: 5, streamsPerUser: 3, idleMs: 1000, inputBytes: 10 }, () => now);
  const of = (user: string) => new ObjectsInMemory([], { streams, caller: { user, scheme: 'up', source: '' } });
  const [alice, bob] = [of('alice'), of('bob')];
  const values: Uint8Array[] = [];
  for (let i = 0; i < 3; i++) values.push((await begin(alice)).value as Uint8Array);
  await refused(begin(alice), 'ServerLimitExceeded', 'of this user');
  for (let i = 0; i < 2; i++) await begin(bob);
  // Who has most loses the oldest, which makes room for who has less.
  await begin(bob);
  await refused(run(hash, alice, { value: values[0] as Uint8Array, final: true }), 'InvalidCorrelationValue', 'made room');
  now += 1000;
  await run(hash, alice, { value: values[1] as Uint8Array, data: utf8('123456789') });
  await refused(run(hash, alice, { value: values[1] as Uint8Array, data: utf8('1') }), 'ServerLimitExceeded', '10 bytes');
  await refused(run(hash, alice, { value: values[1] as Uint8Array, final: true }), 'InvalidCorrelationValue');
  now += 1;
  await refused(run(hash, alice, { value: values[2] as Uint8Array, final: true }), 'InvalidCorrelationValue', 'idle');
  for (let i = 0; i < 3; i++) await begin(bob);
  await refused(run(hash, alice, { parameters: { hashingAlgorithm: 'SHA_256' }, data: new Uint8Array(11), init: true }), 'ServerLimitExceeded');
});

test('algorithms that sign whole messages hold only so many bytes, of a user and of all', async () => {
  const { privateKey: key } = generateKeyPairSync('ed25519');
  const streams = await streamsHere({ inputBytes: 100, heldBytes: 150 });
  const of = (user: string) =>
    new ObjectsInMemory([privateKey('sk', key, 'Ed25519', { owner: user })], { streams, caller: { user, scheme: 'up', source: '' } });
  const [alice, bob] = [of('alice'), of('bob')];
  const bytes = (length: number) => ({ id: 'sk', data: new Uint8Array(length) });
  const { value } = (await run(sign, alice, { ...bytes(60), init: true })) as { value: Uint8Array };
  await refused(run(sign, alice, { ...bytes(41), init: true }), 'ServerLimitExceeded', 'this user');
  await refused(run(sign, bob, { ...bytes(91), init: true }), 'ServerLimitExceeded', 'try again later');
  const other = (await run(sign, bob, { ...bytes(90), init: true })) as { value: Uint8Array };
  await refused(run(sign, bob, { ...bytes(1), value: other.value }), 'ServerLimitExceeded');
  await run(sign, alice, { ...bytes(40), value, final: true });
  await run(sign, bob, { ...bytes(100), init: true });
});

test.run();
