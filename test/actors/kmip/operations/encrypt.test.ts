// Encrypt and Decrypt with symmetric keys: IVs, tags, defaults, parameters of the object, generations, limits, refusals.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { decrypt } from '../../../../actors/kmip/operations/decrypt.ts';
import { encrypt } from '../../../../actors/kmip/operations/encrypt.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../../kmip/ttlv/mask.ts';
import { dateTime, enumeration, longInteger, structure, text } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { hex, parameters, payload, refused, run, secret, secretData, utf8 } from '../../../fakes/keys.ts';
import { type ContextOptions, ObjectsInMemory } from '../../../fakes/objects.ts';

const BIT = MASK.CryptographicUsageMask;
const NOW = 1_700_000_000;
const KEY = hex('00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff');
const OTHER = hex('ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff');
const DATA = utf8('the data to be protected');
const world = (objects = [secret('k', KEY)], options: ContextOptions = {}) => new ObjectsInMemory(objects, { now: NOW, ...options });

test('AES-GCM of NIST SP 800-38D, test case 16 of the GCM specification: ciphertext and tag apart', async () => {
  const key = hex('feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308');
  const data = hex('d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39');
  const request = { id: 'k', iv: hex('cafebabefacedbaddecaf888'), aad: hex('feedfacedeadbeeffeedfacedeadbeefabaddad2'), data };
  const ctx = world([secret('k', key)]);
  const answer = await run(encrypt, ctx, { ...request, parameters: { blockCipherMode: 'GCM', tagLength: 16 } });
  assert.deepEqual(answer, {
    id: 'k',
    data: hex('522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662'),
    tag: hex('76fc6ece0f4e1768cddf8853bb2d551b'),
  });
  const { data: opened } = await run(decrypt, ctx, { ...request, ...answer });
  assert.deepEqual(opened, data);
});

test('the IV of the server is in the answer, is new each time, and as long as asked for if that is longer', async () => {
  const ctx = world();
  const ivs = new Set<string>();
  for (let i = 0; i < 600; i++) ivs.add(Buffer.from((await run(encrypt, ctx, { id: 'k', data: DATA })).iv as Uint8Array).toString('hex'));
  assert.equal(ivs.size, 600);
  const { iv, tag, data } = await run(encrypt, ctx, { id: 'k', data: DATA, parameters: { blockCipherMode: 'GCM', randomIv: true, ivLength: 128 } });
  assert.equal(iv?.length, 16);
  assert.deepEqual((await run(decrypt, ctx, { id: 'k', ...(iv && tag && data && { iv, tag, data }) })).data, DATA);
  for (const ivLength of [-1, 0, 1, 12, 64, 97, 100]) {
    const short = await run(encrypt, ctx, { id: 'k', data: DATA, parameters: { blockCipherMode: 'GCM', ivLength } });
    assert.equal(short.iv?.length, 12, String(ivLength));
  }
  const ecb = await run(encrypt, ctx, { id: 'k', data: DATA, parameters: { blockCipherMode: 'ECB', paddingMethod: 'PKCS5' } });
  assert.deepEqual(Object.keys(ecb).sort(), ['data', 'id']);
});

test('the mode of the object applies if the request names none, and completes an incomplete request', async () => {
  const stored = [parameters({ cryptographicAlgorithm: 'HMAC_SHA256' }), parameters({ blockCipherMode: 'CBC', paddingMethod: 'PKCS5', randomIv: true })];
  const ctx = world([secret('k', KEY, 'AES', { attributes: stored })]);
  const { iv, data } = await run(encrypt, ctx, { id: 'k', data: DATA });
  assert.equal(data?.length, 32);
  await refused(run(decrypt, ctx, { id: 'k', data: data as Uint8Array }), 'InvalidMessage', 'missing-iv');
  const open = { id: 'k', data: data as Uint8Array, iv: iv as Uint8Array };
  assert.deepEqual((await run(decrypt, ctx, { ...open, parameters: { blockCipherMode: 'CBC' } })).data, DATA);
  assert.equal((await run(encrypt, ctx, { id: 'k', data: new Uint8Array(16), parameters: { blockCipherMode: 'ECB' } })).data?.length, 16);
});

test('before KMIP 1.4 the tag is the end of the data', async () => {
  for (const minor of [0, 1, 2, 3]) {
    const ctx = world(undefined, { version: { major: 1, minor } });
    const answer = await run(encrypt, ctx, { id: 'k', data: DATA });
    assert.deepEqual([answer.tag, answer.data?.length], [undefined, DATA.length + 16]);
    assert.deepEqual((await run(decrypt, ctx, { ...answer } as { data: Uint8Array })).data, DATA);
    await refused(run(decrypt, ctx, { id: 'k', data: new Uint8Array(15), iv: new Uint8Array(12) }), 'InvalidField', 'invalid tag');
  }
  assert.equal((await run(encrypt, world(undefined, { version: { major: 1, minor: 4 } }), { id: 'k', data: DATA })).tag?.length, 16);
});

test('what is missing or wrong in a request', async () => {
  const ctx = world();
  await refused(run(encrypt, ctx, { id: 'k' }), 'InvalidMessage', 'data');
  await refused(run(decrypt, ctx, { id: 'k', iv: new Uint8Array(12) }), 'InvalidMessage', 'data');
  await refused(run(decrypt, ctx, { id: 'k', data: DATA, iv: new Uint8Array(12) }), 'InvalidField', 'invalid tag');
  await refused(run(encrypt, ctx, { id: 'k', data: DATA, parameters: { blockCipherMode: 'GCM', tagLength: 99 } }), 'GeneralFailure', 'tag');
  await refused(
    run(encrypt, ctx, { id: 'k', data: DATA, iv: new Uint8Array(8), parameters: { blockCipherMode: 'CBC' } }),
    'InvalidField',
    'invalid IV/nonce length',
  );
  await refused(run(encrypt, ctx, { id: 'k', data: DATA, parameters: { blockCipherMode: 'CMAC' } }), 'UnsupportedCryptographicParameters', 'not supported');
  await refused(run(encrypt, ctx, { id: 'x', data: DATA }), 'ObjectNotFound');
  assert.equal((await run(encrypt, ctx, { id: 'k', data: new Uint8Array() })).tag?.length, 16);
});

test('another key, tag, nonce or additional data does not decrypt', async () => {
  const ctx = world([secret('k', KEY), secret('o', OTHER)]);
  const sealed = (await run(encrypt, ctx, { id: 'k', data: DATA, aad: utf8('a') })) as { data: Uint8Array; iv: Uint8Array; tag: Uint8Array };
  const good = { ...sealed, id: 'k', aad: utf8('a') };
  assert.deepEqual((await run(decrypt, ctx, good)).data, DATA);
  const flipped = (value: Uint8Array) => value.map((byte, i) => (i === 0 ? byte ^ 1 : byte));
  for (const bad of [{ id: 'o' }, { tag: flipped(sealed.tag) }, { iv: flipped(sealed.iv) }, { aad: utf8('b') }, { data: flipped(sealed.data) }])
    await refused(run(decrypt, ctx, { ...good, ...bad }), 'CryptographicFailure', 'CRYPTO: cannot decrypt');
});

test('state, dates, mask, archive and kind of object decide', async () => {
  const { State, ObjectType } = ENUM;
  const states: [keyof typeof State, boolean, boolean][] = [
    ['PreActive', false, false],
    ['Active', true, true],
    ['Deactivated', false, true],
    ['Compromised', false, true],
  ];
  const sealed = (await run(encrypt, world(), { id: 'k', data: DATA })) as { data: Uint8Array };
  for (const [state, encrypts, decrypts] of states) {
    const ctx = world([secret('k', KEY, 'AES', { state: State[state] })]);
    if (encrypts) await run(encrypt, ctx, { id: 'k', data: DATA });
    else await refused(run(encrypt, ctx, { id: 'k', data: DATA }), 'WrongKeyLifecycleState', 'not found');
    if (decrypts) assert.deepEqual((await run(decrypt, ctx, sealed)).data, DATA);
    else await refused(run(decrypt, ctx, sealed), 'WrongKeyLifecycleState', 'failed to retrieve the key');
  }
  const on = (node: Parameters<typeof structure>[1][number]) => world([secret('k', KEY, 'AES', { attributes: [node] })]);
  await refused(run(encrypt, on(dateTime(TAG.ProtectStopDate, NOW)), { id: 'k', data: DATA }), 'WrongKeyLifecycleState', 'protect stop date');
  await run(encrypt, on(dateTime(TAG.ProtectStopDate, NOW + 1)), { id: 'k', data: DATA });
  await refused(run(decrypt, on(dateTime(TAG.ProcessStartDate, NOW + 1)), sealed), 'WrongKeyLifecycleState', 'process start date');
  await run(decrypt, on(dateTime(TAG.ProcessStartDate, NOW)), sealed);
  await refused(
    run(encrypt, world([secret('k', KEY, 'AES', { mask: BIT.Decrypt })]), { id: 'k', data: DATA }),
    'IncompatibleCryptographicUsageMask',
    'not found',
  );
  await refused(
    run(decrypt, world([secret('k', KEY, 'AES', { mask: BIT.Encrypt })]), sealed),
    'IncompatibleCryptographicUsageMask',
    'failed to retrieve the key',
  );
  await refused(run(encrypt, world([secret('k', KEY, 'AES', { mask: undefined })]), { id: 'k', data: DATA }), 'IncompatibleCryptographicUsageMask');
  await refused(run(encrypt, world([{ ...secret('k', KEY), archived: true }]), { id: 'k', data: DATA }), 'ObjectArchived');
  await refused(run(encrypt, world([secretData('k', KEY)]), { id: 'k', data: DATA }), 'InvalidObjectType', 'not found');
  await refused(run(decrypt, world([{ ...secret('k', KEY), type: ObjectType.PublicKey }]), sealed), 'InvalidObjectType', 'failed to retrieve the key');
  await refused(run(encrypt, world([secret('k', KEY, 'AES', { state: State.Destroyed })]), { id: 'k', data: DATA }), 'ObjectDestroyed');
});

const limits = (total: bigint, unit: keyof typeof ENUM.UsageLimitsUnit) =>
  structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, total), enumeration(TAG.UsageLimitsUnit, ENUM.UsageLimitsUnit[unit])]);

test('only Encrypt spends usage limits, once a use, by bytes or by objects; concurrent uses share them', async () => {
  const bytes = world([secret('k', KEY, 'AES', { attributes: [limits(16n, 'Byte')] })]);
  const sealed = (await run(encrypt, bytes, { id: 'k', data: new Uint8Array(16) })) as { data: Uint8Array };
  await refused(run(encrypt, bytes, { id: 'k', data: new Uint8Array(1) }), 'PermissionDenied', 'usage limits');
  await run(decrypt, bytes, sealed);
  await run(decrypt, bytes, sealed);

  const uses = world([secret('k', KEY, 'AES', { attributes: [limits(7n, 'Object')] })]);
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => run(encrypt, uses, { id: 'k', data: DATA })));
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 7);
  const left = uses.objects.get('k')?.attributes.first(TAG.UsageLimits);
  assert.deepEqual(
    left,
    structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, 7n), longInteger(TAG.UsageLimitsCount, 0n), enumeration(TAG.UsageLimitsUnit, 2)]),
  );
});

test('a key without usage limits starts no transaction', async () => {
  const ctx = world();
  ctx.change = () => assert.fail('a transaction');
  await run(decrypt, ctx, (await run(encrypt, ctx, { id: 'k', data: DATA })) as { data: Uint8Array });
});

test('Decrypt tries the generations of a keyset, newest first, and leaves out those that may not be used', async () => {
  const old = secret('g0', OTHER, 'AES', { state: ENUM.State.Deactivated });
  const ctx = world([secret('g2', KEY), secret('g1', hex('01'.repeat(32)), 'AES', { state: ENUM.State.PreActive }), old]);
  ctx.candidates = async () => [...ctx.objects.values()];
  const byOld = (await run(encrypt, world([secret('g0', OTHER)]), { id: 'g0', data: DATA })) as { data: Uint8Array };
  assert.deepEqual(await run(decrypt, ctx, { ...byOld, id: 'set' } as { data: Uint8Array }), { id: 'g0', data: DATA });
  const byNobody = (await run(encrypt, world([secret('x', hex('02'.repeat(32)))]), { id: 'x', data: DATA })) as { data: Uint8Array };
  await refused(run(decrypt, ctx, byNobody), 'CryptographicFailure');
});

test('FF1: alphabets and radixes are vendor attributes, the tweak is additional data or nonce', async () => {
  const attribute = (name: string, value: ReturnType<typeof text>) =>
    structure(TAG.Attribute, [text(TAG.VendorIdentification, 'cosmian'), text(TAG.AttributeName, name), value]);
  const hexadecimal = attribute('alphabet', text(TAG.AttributeValue, 'hexadecimal'));
  const ctx = world([
    secret('k', KEY, 'FPE_FF1', { mask: BIT.FPEEncrypt | BIT.FPEDecrypt }),
    secret('h', KEY, 'FPE_FF1', { attributes: [hexadecimal] }),
    secret('a', KEY),
  ]);
  const digits = utf8('4000123456789010');
  const { data } = await run(encrypt, ctx, { id: 'k', data: digits, aad: utf8('tweak') });
  assert.match(Buffer.from(data as Uint8Array).toString(), /^\d{16}$/);
  assert.notDeepEqual(data, digits);
  assert.deepEqual((await run(decrypt, ctx, { id: 'k', data: data as Uint8Array, iv: utf8('tweak') })).data, digits);
  assert.notDeepEqual((await run(decrypt, ctx, { id: 'k', data: data as Uint8Array, iv: utf8('other') })).data, digits);
  await refused(run(encrypt, ctx, { id: 'k', data: digits, iv: utf8('a'), aad: utf8('b') }), 'InvalidField', 'tweak');
  await refused(run(encrypt, ctx, { id: 'k', data: utf8('deadbeef') }), 'InvalidField', 'alphabet');
  assert.match(Buffer.from((await run(encrypt, ctx, { id: 'h', data: utf8('deadbeef') })).data as Uint8Array).toString(), /^[\da-f]{8}$/);
  const asked = structure(TAG.CryptographicParameters, [enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.FPE_FF1), hexadecimal]);
  assert.match(Buffer.from((await run(encrypt, ctx, { id: 'a', data: utf8('deadbeef'), parameters: asked })).data as Uint8Array).toString(), /^[\da-f]{8}$/);
  await refused(run(encrypt, ctx, { id: 'k', data: digits, init: true }), 'UnsupportedCryptographicParameters');
});

test('an algorithm that the configuration leaves out is refused', async () => {
  const ctx = world(undefined, { args: { algorithms: ['ChaCha20Poly1305'] } });
  await refused(run(encrypt, ctx, { id: 'k', data: DATA }), 'UnsupportedCryptographicParameters', 'switched off');
});

test('fields of a wrong type are refused', async () => {
  const bad = payload({ id: 'k', parameters: structure(TAG.CryptographicParameters, [text(TAG.BlockCipherMode, 'GCM')]), data: DATA });
  await assert.rejects(
    async () => encrypt.run(bad, world()),
    (error) => error instanceof Refusal && error.reason === 'InvalidMessage',
  );
});

test.run();
