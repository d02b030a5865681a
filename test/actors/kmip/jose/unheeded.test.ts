// Members of a request that would change nothing are refused by name: who sent them would take them for heeded.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'uvu';
import { type Body, CryptoApi, header } from './crypto-api.ts';

const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });

test('a new RSA key takes no member of an imported one: neither `e` nor another without `n`', async () => {
  const api = new CryptoApi();
  for (const e of ['AQAB', 'Aw', '!', 3]) assert.equal(await api.refused('createKey', { kty: 'RSA', e }, 'n'), '400 bad_request', String(e));
  assert.equal((await api.ok('createKey', { kty: 'RSA', e: null })).e, 'AQAB');
});

test('`bits` of a key whose length follows from its curve or algorithm must be that length', async () => {
  const api = new CryptoApi();
  const lengths: [body: Body, bits: number][] = [
    [{ kty: 'EC' }, 256],
    [{ kty: 'EC', crv: 'P-521' }, 521],
    [{ kty: 'EC', alg: 'ES384' }, 384],
    [EC, 256],
    [{ kty: 'OKP', crv: 'X25519' }, 256],
    [{ kty: 'OKP', alg: 'ML-DSA-44' }, 10_496],
    [{ kty: 'AKP', alg: 'ML-DSA-44' }, 10_496],
  ];
  for (const [body, bits] of lengths) {
    await api.ok('createKey', { ...body, bits });
    for (const other of [bits - 1, 2048])
      assert.equal(await api.refused('createKey', { ...body, bits: other }, String(bits)), '400 bad_request', JSON.stringify(body));
  }
});

test('an `alg` on another curve is refused by the curve, one of another type by the type', async () => {
  const api = new CryptoApi();
  for (const crv of ['P-384', 'P-521', 'secp256k1']) assert.equal(await api.refused('createKey', { kty: 'EC', crv, alg: 'ES256' }, crv), '400 bad_request');
  for (const alg of ['HS256', 'RS256', 'EdDSA']) assert.equal(await api.refused('createKey', { kty: 'EC', crv: 'P-256', alg }, 'kty'), '400 bad_request');
});

test('`apu` and `apv` bind a message only where two parties agree on its key', async () => {
  const api = new CryptoApi();
  const make = (body: Body) => api.ok('createKey', body);
  const keys: [alg: string, kid: string][] = [
    ['dir', (await make({ kty: 'oct' })).kid],
    ['A128KW', (await make({ kty: 'oct', alg: 'A128KW' })).kid],
    ['RSA-OAEP', (await make({ kty: 'RSA', alg: 'RSA-OAEP' })).kid],
  ];
  for (const [alg, kid] of keys) {
    const body = { kid, alg, enc: 'A256GCM', data: '' };
    for (const name of ['apu', 'apv']) assert.equal(await api.refused('encrypt', { ...body, [name]: 'QQ' }, name), '400 bad_request', alg);
    await api.ok('encrypt', { ...body, apu: null, apv: null });
  }
  const { kid } = await make({ kty: 'EC', alg: 'ECDH-ES' });
  assert.equal(header((await api.ok('encrypt', { kid, alg: 'ECDH-ES', enc: 'A256GCM', data: '', apu: 'QQ' })).protected).apu, 'QQ');
});

test.run();
