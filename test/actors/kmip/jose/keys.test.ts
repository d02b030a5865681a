// Keys of the crypto API: made, imported with every member checked, seen by KMIP as ordinary objects, tagged and deleted.
import assert from 'node:assert/strict';
import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { test } from 'uvu';
import { userTags } from '../../../../actors/kmip/object/index-terms.ts';
import type { Draft } from '../../../../actors/kmip/object/managed-object.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../../kmip/ttlv/mask.ts';
import { dateTime, enumeration, integer, longInteger, structure, text } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { ALICE } from '../../../fakes/objects.ts';
import { type Body, base64url, CryptoApi, randomText, tampered } from './crypto-api.ts';

const BIT = MASK.CryptographicUsageMask;
const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
const DATA = base64url('data');

const object = (api: CryptoApi, kid: string): Draft => api.ctx.objects.get(kid) as Draft;
const value = (each: Draft, tag: number): unknown => each.attributes.first(tag)?.value;

test('a secret key: its shape, length and purpose follow alg', async () => {
  const api = new CryptoApi();
  const shapes: [body: Body, bits: number, operations: string[]][] = [
    [{ alg: 'A128GCM' }, 128, ['encrypt', 'decrypt']],
    [{ alg: 'A256GCM', bits: 256 }, 256, ['encrypt', 'decrypt']],
    [{ alg: 'A256CBC-HS512' }, 512, ['encrypt', 'decrypt']],
    [{ alg: 'A192KW' }, 192, ['wrapKey', 'unwrapKey']],
    [{ alg: 'HS384' }, 384, ['sign', 'verify']],
    [{ alg: 'HS256', bits: 512 }, 512, ['sign', 'verify']],
    [{ bits: 192 }, 192, ['encrypt', 'decrypt']],
    [{}, 256, ['encrypt', 'decrypt']],
  ];
  for (const [body, bits, key_ops] of shapes) {
    const key = await api.ok('createKey', { kty: 'oct', ...body });
    assert.deepEqual(key, { kid: key.kid, kty: 'oct', alg: body.alg ?? `A${bits}GCM`, key_ops });
    const made = object(api, key.kid);
    assert.equal(made.type, ENUM.ObjectType.SymmetricKey);
    assert.equal(made.state, ENUM.State.Active);
    assert.equal(made.owner, ALICE.user);
    assert.equal(value(made, TAG.CryptographicLength), bits);
  }
});

test('a pair is two linked objects, each with the usage mask of its half; no answer holds a secret', async () => {
  const api = new CryptoApi();
  const key = await api.ok('createKey', { ...EC, alg: 'ES256' });
  assert.deepEqual(key, { kid: key.kid, kid_public: key.kid_public, kty: 'EC', alg: 'ES256', key_ops: ['sign', 'verify'], crv: 'P-256', x: EC.x, y: EC.y });
  const [secret, open] = [object(api, key.kid), object(api, key.kid_public)];
  assert.deepEqual([secret.type, open.type], [ENUM.ObjectType.PrivateKey, ENUM.ObjectType.PublicKey]);
  assert.deepEqual([value(secret, TAG.CryptographicUsageMask), value(open, TAG.CryptographicUsageMask)], [BIT.Sign, BIT.Verify]);
  assert.deepEqual(api.ctx.audited, [`key.import ${key.kid}`, `key.import ${key.kid_public}`]);
  assert.equal(JSON.stringify(key).includes(EC.d as string), false);
});

test('RSA: 2048 bits unless asked, the members of the public key, both purposes without alg', async () => {
  const api = new CryptoApi();
  const key = await api.ok('createKey', { kty: 'RSA' });
  assert.equal(Buffer.from(key.n, 'base64url').length, 256);
  assert.deepEqual(Object.keys(key), ['kid', 'kid_public', 'kty', 'key_ops', 'n', 'e']);
  assert.deepEqual(key.key_ops, ['sign', 'verify', 'encrypt', 'decrypt', 'wrapKey', 'unwrapKey']);
  assert.deepEqual((await api.ok('createKey', { ...RSA, alg: 'PS256' })).key_ops, ['sign', 'verify']);
  for (const bits of [1024, 2047, 2049, 8200, 65536]) assert.equal(await api.refused('createKey', { kty: 'RSA', bits }), '400 bad_request');
});

test('curves: from crv, from alg, or the first of the key type', async () => {
  const api = new CryptoApi();
  const cases: [body: Body, crv: string, operations: string[]][] = [
    [{ kty: 'EC' }, 'P-256', ['sign', 'verify', 'deriveKey']],
    [{ kty: 'EC', alg: 'ES384' }, 'P-384', ['sign', 'verify']],
    [{ kty: 'EC', alg: 'ECDH-ES', crv: 'P-521' }, 'P-521', ['deriveKey']],
    [{ kty: 'EC', crv: 'secp256k1' }, 'secp256k1', ['sign', 'verify']],
    [{ kty: 'OKP' }, 'Ed25519', ['sign', 'verify']],
    [{ kty: 'OKP', alg: 'EdDSA', crv: 'Ed448' }, 'Ed448', ['sign', 'verify']],
    [{ kty: 'OKP', alg: 'Ed448' }, 'Ed448', ['sign', 'verify']],
    [{ kty: 'OKP', alg: 'ECDH-ES+A128KW' }, 'X25519', ['deriveKey']],
    [{ kty: 'OKP', crv: 'X448' }, 'X448', ['deriveKey']],
  ];
  for (const [body, crv, key_ops] of cases) {
    const key = await api.ok('createKey', body);
    assert.deepEqual([key.crv, key.key_ops], [crv, key_ops], JSON.stringify(body));
  }
  const wrong = [
    { kty: 'EC', crv: 'P-256', alg: 'ES384' },
    { kty: 'EC', crv: 'secp256k1', alg: 'ECDH-ES' },
    { kty: 'OKP', crv: 'X25519', alg: 'EdDSA' },
  ];
  for (const body of [...wrong, { kty: 'EC', crv: 'Ed25519' }, { kty: 'EC', alg: 'EdDSA' }, { kty: 'OKP', crv: 'P-256' }])
    assert.equal(await api.refused('createKey', body), '400 bad_request', JSON.stringify(body));
});

test('ML-DSA: made and imported by its seed', async () => {
  const api = new CryptoApi();
  for (const alg of ['ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87']) {
    const key = await api.ok('createKey', { kty: 'AKP', alg });
    assert.deepEqual(Object.keys(key), ['kid', 'kid_public', 'kty', 'alg', 'key_ops', 'pub']);
    const priv = randomText(32);
    const [one, two] = [await api.ok('createKey', { kty: 'AKP', alg, priv }), await api.ok('createKey', { kty: 'AKP', alg, priv })];
    assert.equal(one.pub, two.pub);
    assert.equal(await api.refused('createKey', { kty: 'AKP', alg, priv, pub: key.pub }), '400 bad_request');
    assert.equal(await api.refused('createKey', { kty: 'AKP', alg, priv: randomText(31) }), '400 bad_request');
  }
  assert.equal(await api.refused('createKey', { kty: 'AKP' }), '400 bad_request');
});

test('a public key alone is imported, and does what public keys do', async () => {
  const api = new CryptoApi();
  const both = await api.ok('createKey', RSA);
  const single = await api.ok('createKey', { kty: 'RSA', n: RSA.n, e: RSA.e });
  assert.deepEqual([single.kid_public, single.key_ops], [undefined, ['verify', 'encrypt', 'wrapKey']]);
  const jwe = await api.ok('encrypt', { kid: single.kid, alg: 'RSA-OAEP', enc: 'A128GCM', data: DATA });
  assert.equal(await api.refused('decrypt', jwe), '404 not_found');
  const renamed = base64url(JSON.stringify({ alg: 'RSA-OAEP', enc: 'A128GCM', kid: both.kid }));
  assert.equal(await api.refused('decrypt', { ...jwe, protected: renamed }), '422 decryption_failed');
  assert.equal(await api.refused('sign', { kid: single.kid, alg: 'RS256', data: DATA }), '404 not_found');
});

test('RSA: every private member is needed and has to fit the others', async () => {
  const api = new CryptoApi();
  for (const name of ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'] as const) {
    const { [name]: member, ...without } = RSA;
    assert.equal(await api.refused('createKey', without), '400 bad_request', name);
    const changed = Buffer.from(member as string, 'base64url');
    changed[changed.length - 1] = (changed.at(-1) as number) ^ 2;
    assert.equal(await api.refused('createKey', { ...RSA, [name]: base64url(changed) }), '400 bad_request', name);
    assert.equal(await api.refused('createKey', { ...RSA, [name]: '' }), '400 bad_request', name);
  }
  const number = (name: 'p' | 'dq') => Buffer.from(RSA[name] as string, 'base64url');
  const answer = await api.call({ name: 'createKey' }, { ...RSA, dq: base64url(number('p')) });
  assert.match(JSON.stringify(answer), /the members do not belong to one RSA key: dq does not follow from d and q/);
  assert.equal(await api.refused('createKey', { ...RSA, oth: [] }), '400 bad_request');
  assert.equal(await api.refused('createKey', { ...RSA, bits: 3072 }), '400 bad_request');
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ format: 'jwk' });
  assert.equal(await api.refused('createKey', short), '400 bad_request');
});

test('RSA: null counts as absent, and a private member without the modulus is no wish for a new key', async () => {
  const api = new CryptoApi();
  const { n, e, ...secrets } = RSA;
  const nothing = Object.fromEntries(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth'].map((name) => [name, null]));
  assert.equal((await api.ok('createKey', { kty: 'RSA', n, e, ...nothing })).kid_public, undefined);
  assert.equal((await api.ok('createKey', { ...RSA, oth: null })).n, n);
  assert.notEqual((await api.ok('createKey', { kty: 'RSA', n: null, e: null, ...nothing })).kid_public, undefined);
  for (const name of ['d', 'p', 'q', 'dp', 'dq', 'qi'] as const)
    assert.equal(await api.refused('createKey', { kty: 'RSA', e, [name]: secrets[name] }), '400 bad_request', name);
});

test('curves: d has to be in range, x and y its own, points on the curve, lengths exact', async () => {
  const api = new CryptoApi();
  const { d, x, y } = EC as Required<JsonWebKey>;
  const order = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551';
  const wrong: Body[] = [
    { d: base64url(Buffer.alloc(32)) },
    { d: base64url(Buffer.from(order, 'hex')) },
    { d: base64url(Buffer.concat([Buffer.alloc(1), Buffer.from(d, 'base64url')])) },
    { d: randomText(31) },
    { d, x: y, y: x },
    { d, x, y: tampered(y) },
    { x, y: tampered(y) },
    { x },
    { y },
  ];
  for (const members of wrong)
    assert.equal(await api.refused('createKey', { kty: 'EC', crv: 'P-256', ...members }), '400 bad_request', JSON.stringify(members));
  const key = await api.ok('createKey', { kty: 'EC', crv: 'P-256', d });
  assert.deepEqual([key.x, key.y], [x, y]);
  const okp = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  assert.equal((await api.ok('createKey', { kty: 'OKP', crv: 'Ed25519', d: okp.d })).x, okp.x);
  assert.equal(await api.refused('createKey', { ...okp, x: randomText(32) }), '400 bad_request');
});

test('curves: a public key of small order is refused', async () => {
  const api = new CryptoApi();
  for (const [crv, length] of [
    ['Ed25519', 32],
    ['X25519', 32],
    ['Ed448', 57],
    ['X448', 56],
  ] as const) {
    const x = base64url(Buffer.concat([Buffer.of(1), Buffer.alloc(length - 1)]));
    assert.equal(await api.refused('createKey', { kty: 'OKP', crv, x }), '400 bad_request', crv);
  }
});

test('a key that is imported names its curve: the bytes of an X25519 key are also those of an Ed25519 key', async () => {
  const api = new CryptoApi();
  const pairs = [generateKeyPairSync('x25519'), generateKeyPairSync('ec', { namedCurve: 'P-256' })];
  for (const { crv, ...members } of pairs.map(({ privateKey }) => privateKey.export({ format: 'jwk' }))) {
    const { d, ...publicMembers } = members;
    for (const body of [publicMembers, members, { kty: members.kty, d }]) {
      const { status, body: problem } = await api.call({ name: 'createKey' }, body);
      assert.deepEqual({ status, problem }, { status: 400, problem: { error: 'bad_request', description: 'missing member: crv' } });
      assert.equal((await api.ok('createKey', { ...body, crv })).crv, crv);
    }
    assert.equal(await api.refused('createKey', { ...publicMembers, alg: 'ECDH-ES' }), '400 bad_request');
  }
});

test('secret keys that are imported: alg is needed, the length has to be its own', async () => {
  const api = new CryptoApi();
  for (const body of [{ k: randomText(32) }, { alg: 'A256GCM', k: randomText(16) }, { alg: 'HS512', k: randomText(63) }, { alg: 'A128KW', k: '' }])
    assert.equal(await api.refused('createKey', { kty: 'oct', ...body }), '400 bad_request');
  for (const body of [{ alg: 'A128GCM', bits: 256 }, { bits: 100 }, { alg: 'HS256', bits: 257 }, { alg: 'HS256', bits: -8 }, { bits: '256' }])
    assert.equal(await api.refused('createKey', { kty: 'oct', ...body }), '400 bad_request', JSON.stringify(body));
  assert.equal(await api.refused('createKey', { kty: 'oct', alg: 'RS256' }), '400 bad_request');
  assert.equal(await api.refused('createKey', { kty: 'RSA', alg: 'RSA1_5' }), '422 unsupported_algorithm');
  assert.equal(await api.refused('createKey', { kty: 'RSA', alg: 'XYZ' }), '400 bad_request');
});

test('a certificate without the key that it is of makes no new key', async () => {
  const api = new CryptoApi();
  for (const [member, value] of [
    ['x5c', ['AAAA']],
    ['x5u', 'https://example.org/chain'],
    ['x5t', 'AAAA'],
    ['x5t#S256', 'AAAA'],
  ] as const)
    for (const kty of ['oct', 'RSA', 'EC']) assert.equal(await api.refused('createKey', { kty, [member]: value }), '400 bad_request', `${kty} ${member}`);
  assert.equal(api.ctx.objects.size, 0);
  const { n, e } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
  await api.ok('createKey', { kty: 'RSA', n, e, x5c: ['AAAA'] });
});

test('creating is refused to who may not create, and algorithms that the server is not to use', async () => {
  const others = new CryptoApi({ args: { privilegedUsers: ['somebody'] } });
  Object.defineProperty(others.ctx.server, 'store', { value: {} });
  Object.defineProperty(others.ctx.server, 'rows', { value: { grants: { readOfEverything: async () => new Map() } } });
  const { status, body } = await others.call({ name: 'createKey' }, { kty: 'oct' });
  assert.deepEqual({ status, body }, { status: 403, body: { error: 'forbidden', description: 'Access denied' } });
  assert.equal(others.ctx.objects.size, 0);
  const limited = new CryptoApi({ args: { algorithms: ['AES', 'RSA'] } });
  await limited.ok('createKey', { kty: 'oct', alg: 'A128KW' });
  for (const body of [{ kty: 'oct', alg: 'HS256' }, { kty: 'EC' }]) assert.equal(await limited.refused('createKey', body), '400 bad_request');
});

test('deleting takes both halves away, by the identifier of either', async () => {
  for (const name of ['kid', 'kid_public'] as const) {
    const api = new CryptoApi();
    const key = await api.ok('createKey', { kty: 'EC' });
    assert.deepEqual(await api.call({ name: 'deleteKey', kid: key[name] }, undefined), { status: 204, body: undefined });
    assert.equal(api.ctx.objects.size, 0);
    assert.equal(await api.refused('sign', { kid: key.kid, alg: 'ES256', data: DATA }), '404 not_found');
    assert.equal((await api.call({ name: 'deleteKey', kid: key[name] }, undefined)).status, 404);
    assert.deepEqual(
      api.ctx.audited.slice(2).map((row) => row.split(' ')[0]),
      ['key.revoke', 'key.destroy', 'key.revoke', 'key.destroy'],
    );
  }
});

test('keys in every state may be deleted', async () => {
  const { PreActive, Deactivated, Compromised, Destroyed, DestroyedCompromised } = ENUM.State;
  for (const state of [PreActive, Deactivated, Compromised, Destroyed, DestroyedCompromised]) {
    const api = new CryptoApi();
    const { kid } = await api.ok('createKey', { kty: 'oct' });
    object(api, kid).state = state;
    object(api, kid).attributes.remove(TAG.ActivationDate);
    assert.equal((await api.call({ name: 'deleteKey', kid }, undefined)).status, 204, String(state));
    assert.equal(api.ctx.objects.size, 0);
  }
});

test('states, dates and usage masks hold here as for KMIP', async () => {
  const api = new CryptoApi();
  const { kid } = await api.ok('createKey', { kty: 'oct', alg: 'A256GCM' });
  const jwe = await api.ok('encrypt', { kid, alg: 'dir', enc: 'A256GCM', data: DATA });
  const key = object(api, kid);
  key.state = ENUM.State.Deactivated;
  const answer = await api.call({ name: 'encrypt' }, { kid, alg: 'dir', enc: 'A256GCM', data: DATA });
  assert.deepEqual([answer.status, answer.body.error], [403, 'forbidden']);
  assert.match(answer.body.description, /^Wrong_Key_Lifecycle_State: .*deactivated/);
  assert.equal((await api.ok('decrypt', jwe)).data, DATA);
  key.state = ENUM.State.Active;
  key.attributes.set(integer(TAG.CryptographicUsageMask, BIT.Encrypt));
  assert.equal(await api.refused('decrypt', jwe), '403 forbidden');
  key.attributes.set(dateTime(TAG.ProtectStopDate, api.ctx.now - 1));
  assert.equal(await api.refused('encrypt', { kid, alg: 'dir', enc: 'A256GCM', data: DATA }), '403 forbidden');
});

test('usage limits are spent here as for KMIP', async () => {
  const api = new CryptoApi();
  const { kid } = await api.ok('createKey', { kty: 'oct', alg: 'HS256' });
  const limits = [longInteger(TAG.UsageLimitsTotal, 2n), longInteger(TAG.UsageLimitsCount, 2n), enumeration(TAG.UsageLimitsUnit, ENUM.UsageLimitsUnit.Object)];
  object(api, kid).attributes.set(structure(TAG.UsageLimits, limits));
  // A call that the key does not fit spends nothing.
  for (let call = 0; call < 3; call++) assert.equal(await api.refused('mac', { kid, alg: 'HS512', data: DATA }), '422 crypto_failure');
  for (let use = 0; use < 2; use++) await api.ok('mac', { kid, alg: 'HS256', data: DATA });
  assert.equal(await api.refused('mac', { kid, alg: 'HS256', data: DATA }), '403 forbidden');
});

test('tags leave the other vendor attributes of a key alone, also a custom one of KMIP 1.x with their name', async () => {
  const api = new CryptoApi();
  const { kid } = await api.ok('createKey', { kty: 'oct' });
  const vendor = (party: string, called: string, told: string) =>
    structure(TAG.Attribute, [text(TAG.VendorIdentification, party), text(TAG.AttributeName, called), text(TAG.AttributeValue, told)]);
  const others = [vendor('x', 'ID', '1'), vendor('x', 'tag', 'not one'), vendor('acme', 'wrapping_key_id', 'kek')];
  for (const node of others) object(api, kid).attributes.add(node);
  await api.call({ name: 'addTags', kid }, { tags: ['a'] });
  await api.call({ name: 'addTags', kid }, { tags: ['b'] });
  assert.deepEqual(userTags(object(api, kid)), ['a', 'b']);
  await api.call({ name: 'deleteTags', kid }, { tags: ['a', 'b'] });
  assert.deepEqual(
    object(api, kid)
      .attributes.all(TAG.Attribute)
      .map(({ node }) => node),
    others,
  );
});

test('tags: added once, deleted, kept in the vendor attribute, never the server’s own', async () => {
  const api = new CryptoApi();
  const { kid } = await api.ok('createKey', { kty: 'oct' });
  const tags = async (name: 'getTags' | 'addTags' | 'deleteTags', body?: unknown) => (await api.call({ name, kid }, body)).body;
  assert.deepEqual(await tags('getTags'), { kid, tags: [] });
  assert.deepEqual(await tags('addTags', { tags: ['billing', 'prod', 'billing'] }), { kid, tags: ['billing', 'prod'] });
  assert.deepEqual(await tags('addTags', { tags: ['prod', 'eu'] }), { kid, tags: ['billing', 'prod', 'eu'] });
  assert.deepEqual(userTags(object(api, kid)), ['billing', 'prod', 'eu']);
  assert.equal(object(api, kid).attributes.all(TAG.Attribute).length, 1);
  assert.deepEqual(await tags('deleteTags', { tags: ['prod', 'missing'] }), { kid, tags: ['billing', 'eu'] });
  assert.deepEqual(await tags('deleteTags', { tags: ['billing', 'eu'] }), { kid, tags: [] });
  assert.equal(object(api, kid).attributes.has(TAG.Attribute), false);
  for (const body of [
    {},
    { tags: Array.from({ length: 257 }, (_, at) => `tag ${at}`) },
    { tags: 'a' },
    { tags: [1] },
    { tags: [''] },
    { tags: ['_kk'] },
    { tags: ['a'.repeat(256)] },
    { tags: ['🔑'.repeat(256)] },
    { tags: ['a\0'] },
    { tags: ['\ud800'] },
    [],
    'x',
  ])
    assert.equal((await tags('addTags', body)).error, 'bad_request', JSON.stringify(body));
  assert.equal((await tags('addTags', { tags: ['🔑'.repeat(255)] })).tags.length, 1);
  assert.equal((await api.call({ name: 'getTags', kid: 'missing' }, undefined)).status, 404);
});

test('a key of somebody else is one that is not there', async () => {
  const api = new CryptoApi();
  const { kid } = await api.ok('createKey', { kty: 'RSA' });
  object(api, kid).owner = 'acme/bob';
  assert.equal(await api.refused('sign', { kid, alg: 'RS256', data: DATA }), '404 not_found');
  for (const name of ['deleteKey', 'getTags'] as const) assert.equal((await api.call({ name, kid }, undefined)).status, 404);
});

test.run();
