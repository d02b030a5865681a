// What JSON Web Keys say they are for: by `use` and `key_ops` (RFC 7517 sections 4.2 and 4.3) a key can do that and nothing else, by `alg` with one algorithm (RFC 8725 section 3.1).
import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';
import { test } from 'uvu';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { CryptoApi, randomText } from './crypto-api.ts';

type Body = Record<string, unknown>;

const jwks = ({ privateKey, publicKey }: KeyPairKeyObjectResult): [Body, Body] => [privateKey.export({ format: 'jwk' }), publicKey.export({ format: 'jwk' })];
const [RSA, RSA_PUBLIC] = jwks(generateKeyPairSync('rsa', { modulusLength: 2048 }));
const [EC, EC_PUBLIC] = jwks(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
const HS256 = { kty: 'oct', alg: 'HS256', k: randomText(32) };

test('a key is for what its members leave, made or imported; values that nobody registered say nothing', async () => {
  const api = new CryptoApi();
  const cases: [body: Body, expected: string][] = [
    [{ ...HS256, key_ops: ['verify'] }, 'verify'],
    [{ ...HS256, use: 'sig' }, 'sign verify'],
    [{ ...HS256, use: 'of the house', key_ops: ['sign', 'knit', 'constructor'] }, 'sign'],
    [{ ...HS256, use: '\u{1f511}'.repeat(1_024) }, 'sign verify'],
    [{ kty: 'oct', alg: 'A256GCM', key_ops: ['encrypt', 'wrapKey'] }, 'encrypt'],
    [{ kty: 'oct', alg: 'A128KW', use: 'enc' }, 'wrapKey unwrapKey'],
    [{ kty: 'oct', use: null, key_ops: null }, 'encrypt decrypt'],
    [{ ...RSA, use: 'sig' }, 'sign verify'],
    [{ ...RSA, use: 'enc' }, 'encrypt decrypt wrapKey unwrapKey'],
    [{ ...RSA, key_ops: ['decrypt'] }, 'encrypt decrypt'],
    [{ ...RSA, use: 'sig', key_ops: ['sign', 'decrypt'] }, 'sign verify'],
    [{ ...RSA_PUBLIC, key_ops: ['encrypt'] }, 'encrypt'],
    [{ ...EC, key_ops: ['sign'] }, 'sign verify'],
    [{ ...EC, key_ops: ['deriveKey', 'deriveBits'] }, 'deriveKey'],
    [{ ...EC_PUBLIC, key_ops: ['verify'] }, 'verify'],
    [{ ...EC_PUBLIC, key_ops: [] }, 'deriveKey'],
    [{ kty: 'EC', use: 'enc' }, 'deriveKey'],
    [{ kty: 'AKP', alg: 'ML-DSA-44', use: 'sig' }, 'sign verify'],
  ];
  for (const [body, expected] of cases) assert.equal((await api.ok('createKey', body)).key_ops.join(' '), expected, JSON.stringify(body));
});

test('what the members leave out is refused, by either half', async () => {
  const api = new CryptoApi();
  const { kid } = await api.ok('createKey', { ...HS256, key_ops: ['verify'] });
  assert.equal(await api.refused('mac', { kid, alg: 'HS256', data: '' }), '403 forbidden');
  assert.equal((await api.ok('mac', { kid, alg: 'HS256', data: '', mac: randomText(32) })).valid, false);
  const rsa = await api.ok('createKey', { ...RSA, use: 'sig' });
  await api.ok('sign', { kid: rsa.kid, alg: 'PS256', data: '' });
  for (const name of ['kid', 'kid_public']) {
    assert.equal(await api.refused('encrypt', { kid: rsa[name], alg: 'RSA-OAEP', enc: 'A128GCM', data: '' }), '403 forbidden');
    assert.equal(typeof api.ctx.objects.get(rsa[name])?.attributes.first(TAG.CryptographicUsageMask)?.value, 'number');
  }
});

test('a key with `alg` is for that algorithm alone, by either half; one without takes all that fit', async () => {
  const api = new CryptoApi();
  const header = (alg: string, kid: unknown) => Buffer.from(JSON.stringify({ alg, kid })).toString('base64url');
  const all = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
  const free = await api.ok('createKey', RSA);
  for (const own of all) {
    const { kid, kid_public } = await api.ok('createKey', { ...RSA, alg: own });
    for (const alg of all) {
      const made = await api.ok('sign', { kid: free.kid, alg, data: '' });
      const body = { protected: header(alg, kid_public), data: '', signature: made.signature };
      if (alg === own) {
        assert.equal(typeof (await api.ok('sign', { kid, alg, data: '' })).signature, 'string');
        assert.equal((await api.ok('verify', body)).valid, false);
      } else {
        assert.equal(await api.refused('sign', { kid, alg, data: '' }), '422 crypto_failure', `${own} ${alg}`);
        assert.equal(await api.refused('verify', body), '422 crypto_failure', `${own} ${alg}`);
      }
    }
  }
});

test('with the compact spelling, whose clients have one RSA key for everything, `alg` binds nothing', async () => {
  const api = new CryptoApi({ args: { jsonNames: 'compact' } });
  const { kid } = await api.ok('createKey', { ...RSA, alg: 'RS256' });
  const made = await api.ok('sign', { kid, alg: 'PS384', data: '' });
  assert.equal((await api.ok('verify', { protected: made.protected, data: '', signature: made.signature })).valid, true);
  const sealed = await api.ok('encrypt', { kid, alg: 'RSA-OAEP', enc: 'A128GCM', data: '' });
  assert.equal((await api.ok('decrypt', sealed)).data, '');
});

test('a key for RSA-OAEP with one hash neither encrypts nor decrypts with another', async () => {
  const api = new CryptoApi();
  const own = await api.ok('createKey', { ...RSA, alg: 'RSA-OAEP-256' });
  const call = { enc: 'A128GCM', data: '' };
  const sealed = await api.ok('encrypt', { ...call, kid: own.kid_public, alg: 'RSA-OAEP-256' });
  assert.equal((await api.ok('decrypt', sealed)).data, '');
  const other = await api.ok('encrypt', { ...call, kid: (await api.ok('createKey', RSA)).kid, alg: 'RSA-OAEP' });
  const protectedHeader = Buffer.from(JSON.stringify({ alg: 'RSA-OAEP', enc: 'A128GCM', kid: own.kid })).toString('base64url');
  assert.equal(await api.refused('encrypt', { ...call, kid: own.kid, alg: 'RSA-OAEP' }), '422 crypto_failure');
  assert.equal(await api.refused('decrypt', { ...other, protected: protectedHeader }), '422 crypto_failure');
});

test('members that are malformed, contradict each other or leave nothing are refused', async () => {
  const api = new CryptoApi();
  const wrong: Body[] = [
    { ...HS256, use: 5 },
    { ...HS256, use: 'enc' },
    { ...HS256, use: 'x'.repeat(1_025) },
    { ...HS256, key_ops: ['sign', '\u{1f511}'.repeat(1_025)] },
    { ...HS256, key_ops: 'sign' },
    { ...HS256, key_ops: ['sign', 'sign'] },
    { ...HS256, key_ops: ['sign', 1] },
    { ...HS256, key_ops: ['sign', ...Array.from({ length: 64 }, (_, index) => `other ${index}`)] },
    { ...HS256, key_ops: [] },
    { ...HS256, key_ops: ['encrypt'] },
    { ...HS256, use: 'enc', key_ops: ['sign'] },
    { ...RSA, key_ops: ['verify'] },
    { ...RSA_PUBLIC, key_ops: ['sign'] },
    { ...RSA, alg: 'RS256', use: 'enc' },
    { ...EC_PUBLIC, use: 'sig', key_ops: [] },
    { kty: 'OKP', crv: 'X25519', use: 'sig' },
  ];
  for (const body of wrong) assert.equal(await api.refused('createKey', body), '400 bad_request', JSON.stringify(body));
  assert.equal(api.ctx.objects.size, 0);
});

test('an HMAC key that is too long is told how long it may be', async () => {
  const { body } = await new CryptoApi().call({ name: 'createKey' }, { ...HS256, k: randomText(513) });
  assert.equal(body.description, 'a key for HS256 must have 256 to 4096 bits, a multiple of 8');
});

test.run();
