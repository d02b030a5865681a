// JWS and MACs of every algorithm: against the jose library and node:crypto, both ways, and never with a key of another algorithm.
import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, type JsonWebKey, sign as signWith, verify as verifyWith } from 'node:crypto';
import { CompactSign, compactVerify, importJWK } from 'jose';
import { test } from 'uvu';
import { signatureAlgorithm } from '../../../../actors/kmip/jose/named-algorithm.ts';
import { isSigned } from '../../../../actors/kmip/jose/signing.ts';
import { keyOf } from '../../../../actors/kmip/object/key.ts';
import { publicKey } from '../../../fakes/keys.ts';
import { ObjectsInMemory } from '../../../fakes/objects.ts';
import { type Body, base64url, CryptoApi, header, randomText, tampered } from './crypto-api.ts';

const api = new CryptoApi();
const DATA = base64url('{"iss":"joe","exp":1300819380,"http://example.com/is_root":true}');

const exported = (pair: { privateKey: { export(options: { format: 'jwk' }): JsonWebKey } }): JsonWebKey => pair.privateKey.export({ format: 'jwk' });
const RSA = exported(generateKeyPairSync('rsa', { modulusLength: 2048 }));
const ec = (namedCurve: string) => exported(generateKeyPairSync('ec', { namedCurve }));
const plain = (type: string) => exported((generateKeyPairSync as unknown as (type: string) => Body)(type));

/** Keys by algorithm, and whether the jose library knows it. */
const KEYS: Readonly<Record<string, { jwk: JsonWebKey; foreign: boolean }>> = {
  RS256: { jwk: RSA, foreign: true },
  RS384: { jwk: RSA, foreign: true },
  RS512: { jwk: RSA, foreign: true },
  PS256: { jwk: RSA, foreign: true },
  PS384: { jwk: RSA, foreign: true },
  PS512: { jwk: RSA, foreign: true },
  ES256: { jwk: ec('P-256'), foreign: true },
  ES384: { jwk: ec('P-384'), foreign: true },
  ES512: { jwk: ec('P-521'), foreign: true },
  ES256K: { jwk: ec('secp256k1'), foreign: false },
  EdDSA: { jwk: plain('ed25519'), foreign: true },
  Ed25519: { jwk: plain('ed25519'), foreign: true },
  Ed448: { jwk: plain('ed448'), foreign: false },
  'ML-DSA-44': { jwk: plain('ml-dsa-44'), foreign: true },
  'ML-DSA-65': { jwk: plain('ml-dsa-65'), foreign: true },
  'ML-DSA-87': { jwk: plain('ml-dsa-87'), foreign: true },
};

const kids = new Map<string, string>();
for (const [alg, { jwk }] of Object.entries(KEYS)) kids.set(alg, (await api.ok('createKey', alg.startsWith('ML') ? { ...jwk, alg } : jwk)).kid);

const publicMembers = ({ kty, crv, n, e, x, y, pub, alg }: JsonWebKey & Body): Body => ({ kty, crv, n, e, x, y, pub, alg });

test('what we sign the jose library verifies, and what it signs we verify', async () => {
  for (const [alg, { jwk, foreign }] of Object.entries(KEYS)) {
    if (!foreign) continue;
    const kid = kids.get(alg) as string;
    const ours = await api.ok('sign', { kid, alg, data: DATA });
    assert.deepEqual(Object.entries(header(ours.protected)), [
      ['alg', alg],
      ['kid', kid],
    ]);
    const verified = await compactVerify(`${ours.protected}.${DATA}.${ours.signature}`, await importJWK(publicMembers(jwk), alg));
    assert.equal(base64url(verified.payload), DATA, alg);
    const theirs = await new CompactSign(Buffer.from(DATA, 'base64url')).setProtectedHeader({ alg, kid }).sign(await importJWK(jwk as Body, alg));
    const [encoded, , signature] = theirs.split('.');
    assert.deepEqual(await api.ok('verify', { protected: encoded, data: DATA, signature }), { kid, valid: true }, alg);
  }
});

test('ES256K and Ed448 verify with OpenSSL, R and S side by side', async () => {
  for (const alg of ['ES256K', 'Ed448']) {
    const kid = kids.get(alg) as string;
    const key = createPublicKey({ key: publicMembers(KEYS[alg]?.jwk as JsonWebKey), format: 'jwk' });
    const { protected: encoded, signature } = await api.ok('sign', { kid, alg, data: DATA });
    const options = { key, dsaEncoding: 'ieee-p1363' as const };
    assert.ok(verifyWith(alg === 'ES256K' ? 'sha256' : null, Buffer.from(`${encoded}.${DATA}`), options, Buffer.from(signature, 'base64url')), alg);
  }
});

test('a changed bit in signature, data or header makes a signature invalid, and so does a wrong length', async () => {
  for (const alg of kids.keys()) {
    const { protected: encoded, signature } = await api.ok('sign', { kid: kids.get(alg), alg, data: DATA });
    const valid = async (changed: object) => (await api.ok('verify', { protected: encoded, data: DATA, signature, ...changed })).valid;
    assert.equal(await valid({}), true, alg);
    assert.equal(await valid({ signature: tampered(signature) }), false, alg);
    assert.equal(await valid({ signature: '' }), false, alg);
    assert.equal(await valid({ signature: signature.slice(0, 44) }), false, alg);
    assert.equal(await valid({ data: tampered(DATA) }), false, alg);
    assert.equal(await valid({ protected: base64url(JSON.stringify({ ...header(encoded), typ: 'JOSE' })) }), false, alg);
  }
});

test('a DER signature is no signature of ECDSA here, and PSS with another salt length none of PSS', async () => {
  const input = (encoded: string) => Buffer.from(`${encoded}.${DATA}`);
  const { createPrivateKey, constants } = await import('node:crypto');
  const ecHeader = base64url(JSON.stringify({ alg: 'ES256', kid: kids.get('ES256') }));
  const ecKey = createPrivateKey({ key: KEYS['ES256']?.jwk as JsonWebKey, format: 'jwk' });
  const der = base64url(signWith('sha256', input(ecHeader), ecKey));
  assert.equal((await api.ok('verify', { protected: ecHeader, data: DATA, signature: der })).valid, false);
  const pssHeader = base64url(JSON.stringify({ alg: 'PS256', kid: kids.get('PS256') }));
  const key = createPrivateKey({ key: RSA, format: 'jwk' });
  const salted = signWith('sha256', input(pssHeader), { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 20 });
  assert.equal((await api.ok('verify', { protected: pssHeader, data: DATA, signature: base64url(salted) })).valid, false);
});

test('alg has to fit the key: no signature is made or checked with the key of another', async () => {
  for (const [alg, kid] of kids) {
    for (const other of kids.keys()) {
      const isSame = KEYS[other]?.jwk === KEYS[alg]?.jwk;
      const fits = isSame || (other === 'EdDSA' && alg.startsWith('Ed')) || (other === 'Ed25519' && alg === 'EdDSA');
      if (fits) continue;
      assert.equal(await api.refused('sign', { kid, alg: other, data: DATA }), '422 crypto_failure', `${other} with a key of ${alg}`);
      const encoded = base64url(JSON.stringify({ alg: other, kid }));
      assert.equal(await api.refused('verify', { protected: encoded, data: DATA, signature: 'AAAA' }), '422 crypto_failure');
    }
  }
});

test('none, MACs and encryption are no signatures, and a public key is no HMAC key', async () => {
  const kid = kids.get('RS256') as string;
  for (const alg of ['none', 'HS256', 'dir', 'RSA1_5', 'NONE', 'constructor']) {
    const encoded = base64url(JSON.stringify({ alg, kid }));
    assert.equal(await api.refused('verify', { protected: encoded, data: DATA, signature: '' }), '422 unsupported_algorithm', alg);
  }
  for (const alg of ['none', 'HS256', 'RSA-OAEP']) assert.equal(await api.refused('sign', { kid, alg, data: DATA }), '422 unsupported_algorithm', alg);
  for (const alg of ['XS256', 'constructor', '']) assert.equal(await api.refused('sign', { kid, alg, data: DATA }), '400 bad_request', alg);
  assert.equal(await api.refused('mac', { kid, alg: 'HS256', data: DATA }), '404 not_found');
});

test('RFC 7515 appendix A.3 and RFC 8037 appendix A.4: the signatures of the examples', async () => {
  const payload = 'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ';
  const examples: [alg: string, key: JsonWebKey, input: string, signature: string][] = [
    [
      'ES256',
      { kty: 'EC', crv: 'P-256', x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU', y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0' },
      `eyJhbGciOiJFUzI1NiJ9.${payload}`,
      'DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q',
    ],
    [
      'EdDSA',
      { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
      'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc',
      'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg',
    ],
  ];
  for (const [alg, key, input, signature] of examples) {
    const object = publicKey(alg, createPublicKey({ key, format: 'jwk' }), alg === 'EdDSA' ? 'Ed25519' : 'EC');
    const stored = keyOf(object, new ObjectsInMemory([]));
    const verified = (text: string) => isSigned(signatureAlgorithm(alg, 'header'), stored, Buffer.from(text), Buffer.from(signature, 'base64url'));
    assert.ok(await verified(input), alg);
    assert.ok(!(await verified(`${input}A`)), alg);
  }
});

test('RFC 7515 appendix A.1 and RFC 4231 test case 6: HMAC', async () => {
  const { kid } = await api.ok('createKey', {
    kty: 'oct',
    alg: 'HS256',
    k: 'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow',
  });
  const input = 'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ';
  const { mac } = await api.ok('mac', { kid, alg: 'HS256', data: base64url(input) });
  assert.equal(mac, 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk');
  const long = await api.ok('createKey', { kty: 'oct', alg: 'HS512', k: base64url(Buffer.alloc(131, 0xaa)) });
  const answer = await api.ok('mac', { kid: long.kid, alg: 'HS512', data: base64url('Test Using Larger Than Block-Size Key - Hash Key First') });
  const expected = '80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598';
  assert.equal(Buffer.from(answer.mac, 'base64url').toString('hex'), expected);
});

test('a MAC is valid with its key, data and algorithm only', async () => {
  for (const alg of ['HS256', 'HS384', 'HS512']) {
    const { kid } = await api.ok('createKey', { kty: 'oct', alg });
    const other = await api.ok('createKey', { kty: 'oct', alg });
    const { mac } = await api.ok('mac', { kid, alg, data: DATA });
    const valid = async (changed: object) => (await api.ok('mac', { kid, alg, data: DATA, mac, ...changed })).valid;
    assert.equal(await valid({}), true);
    assert.equal(await valid({ mac: tampered(mac) }), false);
    assert.equal(await valid({ mac: mac.slice(0, 40) }), false);
    assert.equal(await valid({ mac: '' }), false);
    assert.equal(await valid({ data: tampered(DATA) }), false);
    assert.equal(await valid({ kid: other.kid }), false);
    for (const wrong of ['HS256', 'HS384', 'HS512'])
      if (wrong !== alg) assert.equal(await api.refused('mac', { kid, alg: wrong, data: DATA }), '422 crypto_failure');
    assert.equal(await api.refused('mac', { kid, alg: 'ES256', data: DATA }), '422 unsupported_algorithm');
    assert.equal(await api.refused('mac', { kid, alg: 'HS128', data: DATA }), '400 bad_request');
    assert.equal(await api.refused('sign', { kid, alg: 'ES256', data: DATA }), '404 not_found');
  }
});

test('payloads of any bytes', async () => {
  for (const data of ['', 'AA', randomText(70_000), base64url('日本語 🔑')]) {
    const jws = await api.ok('sign', { kid: kids.get('ES256'), alg: 'ES256', data });
    assert.equal((await api.ok('verify', { ...jws, data })).valid, true);
  }
});

test('header members beside the protected ones count for verify too', async () => {
  const { kid } = await api.ok('createKey', { kty: 'EC', crv: 'P-256' });
  const signed = await api.ok('sign', { kid, alg: 'ES256', data: DATA });
  assert.equal((await api.ok('verify', { ...signed, data: DATA, header: { x: 1 } })).valid, true);
  for (const wrong of [{ kid }, { alg: 'ES256' }, { crit: [] }])
    assert.equal(await api.refused('verify', { ...signed, data: DATA, header: wrong }), '400 bad_request');
  const encoded = base64url(JSON.stringify({ alg: 'ES256' }));
  assert.equal((await api.ok('verify', { ...signed, protected: encoded, data: DATA, header: { kid } })).valid, false);
  assert.equal(await api.refused('verify', { ...signed, protected: encoded, data: DATA }), '400 bad_request');
});

test.run();
