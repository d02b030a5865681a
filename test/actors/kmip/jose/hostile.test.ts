// Whatever a client sends to the crypto API is answered: malformed bodies, members, base64url and headers, and random ones, never as a failure of ours.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'uvu';
import { Refusal } from '../../../../kmip/refusal.ts';
import { type Body, base64url, CryptoApi, header, randomText } from './crypto-api.ts';

const api = new CryptoApi();
const DATA = base64url('data');
const secret = await api.ok('createKey', { kty: 'oct', alg: 'A256GCM' });
const hmac = await api.ok('createKey', { kty: 'oct', alg: 'HS256' });
const rsa = await api.ok('createKey', { kty: 'RSA' });
const ec = await api.ok('createKey', { kty: 'EC' });

/** One good body for each call that has one. */
const GOOD = {
  encrypt: { kid: secret.kid, alg: 'dir', enc: 'A256GCM', data: DATA, aad: DATA },
  decrypt: await api.ok('encrypt', { kid: ec.kid_public, alg: 'ECDH-ES+A128KW', enc: 'A128GCM', data: DATA, aad: DATA, apu: DATA, apv: DATA }),
  sign: { kid: ec.kid, alg: 'ES256', data: DATA },
  verify: { ...(await api.ok('sign', { kid: ec.kid, alg: 'ES256', data: DATA })), data: DATA },
  mac: { kid: hmac.kid, alg: 'HS256', data: DATA, mac: DATA },
  createKey: { kty: 'oct', alg: 'HS256', k: randomText(32), bits: 256 },
  unwrapKey: await api.ok('encrypt', { kid: rsa.kid_public, alg: 'RSA-OAEP', enc: 'A128GCM', data: DATA }),
};
type Name = keyof typeof GOOD;
const NAMES = Object.keys(GOOD) as Name[];

const NEEDED: Record<Name, string[]> = {
  encrypt: ['kid', 'alg', 'enc', 'data'],
  decrypt: ['protected', 'encrypted_key', 'iv', 'ciphertext', 'tag'],
  sign: ['kid', 'alg', 'data'],
  verify: ['protected', 'data', 'signature'],
  mac: ['kid', 'alg', 'data'],
  createKey: ['kty', 'alg'],
  unwrapKey: ['protected', 'encrypted_key'],
};

test('the good bodies are good, also with members that nobody knows', async () => {
  for (const name of NAMES) await api.ok(name, { ...GOOD[name], extra: { deep: [1, null] }, zip: 'DEF', __proto__: null });
});

test('bodies that are no JSON object in UTF-8', async () => {
  const bodies: Body[] = [
    '',
    '{',
    'null',
    '[]',
    '"text"',
    '1',
    '{"kid":}',
    '{"a":1}{',
    Buffer.from([0x7b, 0xff, 0x7d]),
    Buffer.from('{}', 'utf16le'),
    '['.repeat(100_000),
  ];
  for (const name of NAMES) for (const body of bodies) assert.equal(await api.refused(name, body), '400 bad_request', `${name} ${body}`);
});

test('a member that stands twice, in the body or in a header of a message', async () => {
  for (const name of NAMES) {
    const good = JSON.stringify(GOOD[name]).slice(1);
    assert.equal(await api.refused(name, `{"x":{"a":1,"a":1},${good}`), '400 bad_request', name);
    assert.equal(await api.refused(name, `{"${NEEDED[name][0]}":null,${good}`), '400 bad_request', name);
  }
  for (const name of ['decrypt', 'verify', 'unwrapKey'] as const) {
    const text = Buffer.from(String((GOOD[name] as { protected?: unknown }).protected), 'base64url').toString();
    for (const twice of [`{"kid":"other",${text.slice(1)}`, `${text.slice(0, -1)},"\\u0061lg":"none"}`])
      assert.equal(await api.refused(name, { ...GOOD[name], protected: base64url(twice) }), '400 bad_request', `${name} ${twice}`);
  }
});

test('members that are missing, null or of another type are named', async () => {
  for (const name of NAMES)
    for (const member of NEEDED[name])
      for (const value of [undefined, null, 1, true, [], {}, ['a']])
        assert.equal(await api.refused(name, { ...GOOD[name], [member]: value }, member), '400 bad_request', `${name} ${member} ${value}`);
});

test('base64url is read strictly: alphabet, padding, length, trailing bits', async () => {
  const members: [Name, string][] = [
    ...(['data', 'aad'] as const).map((member): [Name, string] => ['encrypt', member]),
    ...(['protected', 'encrypted_key', 'iv', 'ciphertext', 'tag', 'aad'] as const).map((member): [Name, string] => ['decrypt', member]),
    ...[['sign', 'data'] as const, ['verify', 'data'] as const, ['verify', 'signature'] as const, ['mac', 'data'] as const, ['mac', 'mac'] as const].map(
      ([a, b]): [Name, string] => [a, b],
    ),
    ['createKey', 'k'],
    ['unwrapKey', 'encrypted_key'],
  ];
  for (const [name, member] of members)
    for (const value of ['a', 'AA==', 'AB', 'AA A', 'AA\n', '+/+/', 'A*A', 'ÀÀ', 'AAA\u0000', 'AAB'])
      assert.equal(await api.refused(name, { ...GOOD[name], [member]: value }, member), '400 bad_request', `${name} ${member} ${value}`);
});

test('IVs and tags of other lengths are refused: a short tag is no tag', async () => {
  for (const length of [0, 4, 8, 12, 15, 17, 32])
    assert.equal(await api.refused('decrypt', { ...GOOD.decrypt, tag: randomText(length) }, 'tag'), '400 bad_request');
  for (const length of [0, 11, 13, 16]) assert.equal(await api.refused('decrypt', { ...GOOD.decrypt, iv: randomText(length) }, 'iv'), '400 bad_request');
});

test('headers: malformed, without alg, enc or kid, and with extensions', async () => {
  const good = header(GOOD.decrypt.protected);
  const answers: [members: Body, answer: string][] = [
    [{ ...good, alg: undefined }, '400 bad_request'],
    [{ ...good, enc: undefined }, '400 bad_request'],
    [{ ...good, kid: undefined }, '400 bad_request'],
    [{ ...good, kid: 7 }, '400 bad_request'],
    [[], '400 bad_request'],
    [{ ...good, crit: ['exp'] }, '422 unsupported_algorithm'],
    [{ ...good, crit: [] }, '422 unsupported_algorithm'],
    [{ ...good, zip: 'DEF' }, '422 unsupported_algorithm'],
    [{ ...good, alg: 'RSA1_5' }, '422 unsupported_algorithm'],
    [{ ...good, alg: 'PBES2-HS256+A128KW', p2c: 1e9, p2s: DATA }, '422 unsupported_algorithm'],
    [{ ...good, alg: 'none' }, '422 unsupported_algorithm'],
    [{ ...good, enc: 'A128CTR' }, '422 unsupported_algorithm'],
    [{ ...good, kid: 'missing' }, '404 not_found'],
    [{ ...good, apu: '!' }, '400 bad_request'],
  ];
  for (const [members, answer] of answers)
    assert.equal(await api.refused('decrypt', { ...GOOD.decrypt, protected: base64url(JSON.stringify(members)) }), answer, JSON.stringify(members));
  assert.equal(await api.refused('decrypt', { ...GOOD.decrypt, protected: base64url('{"alg":') }), '400 bad_request');
  assert.equal(await api.refused('decrypt', { ...GOOD.decrypt, protected: '' }), '400 bad_request');
});

test('an epk is read as strictly as an imported key: canonical base64url, whole coordinates', async () => {
  const good = header(GOOD.decrypt.protected);
  const { x, y } = good.epk;
  const longer = (coordinate: string) => base64url(Buffer.concat([Buffer.alloc(1), Buffer.from(coordinate, 'base64url')]));
  for (const epk of [
    { x: `${x}=` },
    { x: ` ${x}` },
    { y: `${y}\n` },
    { x: longer(x) },
    { y: longer(y) },
    { x: `${x}A` },
    { x: null },
    { y: 7 },
    { kty: 'OKP' },
  ]) {
    const changed = { ...good, epk: { ...good.epk, ...epk } };
    assert.equal(await api.refused('decrypt', { ...GOOD.decrypt, protected: base64url(JSON.stringify(changed)) }), '400 bad_request', JSON.stringify(epk));
  }
});

test('nobody can encrypt for a key of small order: it is no public key', async () => {
  for (const [crv, length] of [
    ['X25519', 32],
    ['X448', 56],
  ] as const)
    for (const first of [0, 1]) {
      const x = Buffer.alloc(length);
      x[0] = first;
      assert.equal(await api.refused('createKey', { kty: 'OKP', crv, x: base64url(x) }), '400 bad_request', `${crv} ${first}`);
    }
});

test('bytes that are no point of an Edwards curve, or one of small order, are no public key', async () => {
  const little = (value: bigint, length: number) => Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex').reverse();
  const prime = { Ed25519: 2n ** 255n - 19n, Ed448: 2n ** 448n - 2n ** 224n - 1n };
  for (const [crv, length, outside] of [
    ['Ed25519', 32, 2n],
    ['Ed448', 57, 2n],
  ] as const) {
    const p = prime[crv];
    // Two is the y of no point; 0, 1 and -1 are of small order; the last two are one and a point written otherwise.
    for (const y of [outside, 0n, 1n, p - 1n, p, p + 1n, p + 5n]) {
      const x = base64url(little(y, length));
      assert.equal(await api.refused('createKey', { kty: 'OKP', crv, x }), '400 bad_request', `${crv} ${y}`);
    }
    const { x } = await api.ok('createKey', { kty: 'OKP', crv });
    await api.ok('createKey', { kty: 'OKP', crv, x });
  }
  const order8 = Buffer.from('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', 'hex');
  assert.equal(await api.refused('createKey', { kty: 'OKP', crv: 'Ed25519', x: base64url(order8) }), '400 bad_request');
});

test('algorithms in the body: nobody knows them, or not for this', async () => {
  const body = GOOD.encrypt;
  for (const alg of ['XYZ', '', 'DIR', 'constructor', '__proto__']) assert.equal(await api.refused('encrypt', { ...body, alg }), '400 bad_request', alg);
  for (const alg of ['RSA1_5', 'A256GCMKW', 'RS256', 'none']) assert.equal(await api.refused('encrypt', { ...body, alg }), '422 unsupported_algorithm', alg);
  for (const enc of ['A512GCM', 'toString']) assert.equal(await api.refused('encrypt', { ...body, enc }), '400 bad_request', enc);
});

test('an algorithm that the key is not for', async () => {
  const encrypt = (kid: string, alg: string, enc = 'A256GCM', named?: 'alg' | 'enc') => api.refused('encrypt', { kid, alg, enc, data: DATA }, named);
  assert.equal(await encrypt(secret.kid, 'RSA-OAEP', 'A256GCM', 'alg'), '422 crypto_failure');
  assert.equal(await encrypt(secret.kid, 'ECDH-ES', 'A256GCM', 'alg'), '422 crypto_failure');
  assert.equal(await encrypt(secret.kid, 'dir', 'A128GCM', 'enc'), '422 crypto_failure');
  assert.equal(await encrypt(secret.kid, 'dir', 'A128CBC-HS256', 'enc'), '422 crypto_failure');
  assert.equal(await encrypt(secret.kid, 'A256KW', 'A256GCM', 'alg'), '422 crypto_failure');
  assert.equal(await encrypt(hmac.kid, 'dir', 'A256GCM', 'enc'), '422 crypto_failure');
  assert.equal(await encrypt(rsa.kid, 'dir'), '404 not_found');
  assert.equal(await encrypt(rsa.kid_public, 'dir'), '422 crypto_failure');
  assert.equal(await encrypt(ec.kid, 'RSA-OAEP'), '422 crypto_failure');
  assert.equal(await encrypt(rsa.kid, 'ECDH-ES'), '422 crypto_failure');
  const signing = await api.ok('createKey', { kty: 'EC', alg: 'ES256' });
  assert.equal(await encrypt(signing.kid, 'ECDH-ES'), '403 forbidden');
  const wrong = base64url(JSON.stringify({ alg: 'dir', enc: 'A128GCM', kid: rsa.kid }));
  assert.equal(await api.refused('decrypt', { protected: wrong, iv: randomText(12), ciphertext: '', tag: randomText(16) }), '422 crypto_failure');
  assert.equal(
    await api.refused('decrypt', { protected: wrong, encrypted_key: DATA, iv: randomText(12), ciphertext: '', tag: randomText(16) }),
    '400 bad_request',
  );
});

test('identifiers of any text', async () => {
  for (const kid of [
    '',
    '\0',
    'key\0with',
    '[',
    '[]',
    '["a"]',
    '{"$ne":null}',
    "' OR 1=1 --",
    'a@latest',
    'hsm::x::1::a',
    '../x',
    'k'.repeat(1_024),
    '🔑',
    '\ud800',
  ]) {
    assert.equal(await api.refused('sign', { ...GOOD.sign, kid }), '404 not_found', kid.slice(0, 20));
    for (const name of ['deleteKey', 'getTags'] as const) assert.equal((await api.call({ name, kid }, undefined)).status, 404);
  }
});

test('members that are too long, too many members, and bodies of combining marks only are refused', async () => {
  const bad = async (body: object | string, name: 'sign' | 'createKey' = 'sign') => assert.equal(await api.refused(name, body as object), '400 bad_request');
  await bad({ ...GOOD.sign, alg: 'k'.repeat(1_025) });
  for (const name of ['n', 'e', 'd', 'p']) await bad({ kty: 'RSA', n: 'AQAB', e: 'AQAB', [name]: 'A'.repeat(16_388) }, 'createKey');
  await bad({ ...GOOD.sign, ...Object.fromEntries(Array.from({ length: 257 }, (_, at) => [`m${at}`, 1])) });
  await bad({ ...GOOD.sign, more: Array.from({ length: 40_000 }, () => []) });
  await bad({ ...GOOD.sign, more: JSON.parse('['.repeat(1_000) + ']'.repeat(1_000)), padding: 'a'.repeat(70_000) });
});

test('an identifier that cannot be read is one of no key', async () => {
  const other = new CryptoApi();
  other.ctx.byId = async () => {
    throw new Refusal('InvalidField', 'no JSON array of tags');
  };
  assert.equal(await other.refused('sign', { ...GOOD.sign, kid: '[' }), '404 not_found');
  // Nor has any key an identifier that is longer than all of them.
  assert.equal(await other.refused('sign', { ...GOOD.sign, kid: 'k'.repeat(1_025) }), '404 not_found');
});

test('what is not the client’s doing is no answer of the API', async () => {
  const other = new CryptoApi();
  other.ctx.byId = async () => {
    throw new Error('the store is away');
  };
  await assert.rejects(other.call({ name: 'sign' }, GOOD.sign), /the store is away/);
});

test('random members: an answer of 200 or a refusal of 4xx, always', async () => {
  const text = fc.oneof(
    fc.constantFrom('dir', 'RSA-OAEP', 'A128KW', 'ECDH-ES', 'A128GCM', 'A128CBC-HS256', 'ES256', 'RS256', 'HS256', 'none', 'EC', 'OKP', 'P-256', 'X25519'),
    fc.constantFrom(secret.kid, hmac.kid, ec.kid, ec.kid_public, DATA, GOOD.decrypt.protected),
    fc.uint8Array({ maxLength: 80 }).map((bytes) => base64url(bytes)),
    fc.string(),
  );
  const member = fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: fc.jsonValue() as fc.Arbitrary<unknown> });
  const changes = fc.dictionary(
    fc.constantFrom('kid', 'alg', 'enc', 'data', 'aad', 'protected', 'iv', 'tag', 'kty', 'crv', 'd', 'x', 'y', 'k', 'mac', 'bits'),
    member,
  );
  const headers = fc.dictionary(fc.constantFrom('alg', 'enc', 'kid', 'epk', 'apu', 'crit'), member);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...NAMES), changes, fc.option(headers), async (name, changed, headerChanges) => {
      const body: Body = { ...GOOD[name], ...changed };
      if (headerChanges && 'protected' in GOOD[name]) body.protected = base64url(JSON.stringify({ ...header(GOOD[name].protected), ...headerChanges }));
      const answer = await api.call({ name }, body);
      assert.ok([200, 400, 403, 404, 422].includes(answer.status));
    }),
    { numRuns: 1500 },
  );
});

test.run();
