// Whatever encrypt, sign and mac of /v1/crypto take, decrypt, verify and mac take back: no message is too long for its own server.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import type { Answer, Ask } from '../../server.ts';

// covers: POST /v1/crypto/encrypt, POST /v1/crypto/decrypt, POST /v1/crypto/sign, POST /v1/crypto/verify, POST /v1/crypto/mac

const MAX_BODY = 16_777_216;

let server: SecureServer;
let ask: Ask;

test.before(async () => {
  server = await startSecureServer();
  ask = server.as(await server.client('owner@acme.com'));
});
test.after(() => server?.end());

const call = (name: string, body: object) => ask('POST', `/v1/crypto/${name}`, { body });

async function ok(name: string, body: object): Promise<Answer['body']> {
  const answer = await call(name, body);
  assert.equal(answer.status, 200, `${name}: ${answer.text.slice(0, 200)}`);
  return answer.body;
}

/** The body with as much data as fits. */
function filled(body: object): { data: string } {
  const left = MAX_BODY - JSON.stringify({ ...body, data: '' }).length;
  return { ...body, data: randomBytes(Math.floor((left - 3) / 4) * 3).toString('base64url') };
}

test('the longest content that is encrypted is decrypted', async () => {
  const { kid } = await ok('keys', { kty: 'oct', alg: 'A256CBC-HS512' });
  const body = filled({ kid, alg: 'dir', enc: 'A256CBC-HS512' });
  assert.ok((await ok('decrypt', await ok('encrypt', body))).data === body.data);
  const pair = await ok('keys', { kty: 'EC', crv: 'P-521', alg: 'ECDH-ES+A256KW' });
  const party = 'A'.repeat(5_000);
  const agreed = filled({ kid: pair.kid, alg: 'ECDH-ES+A256KW', enc: 'A256GCM', apu: party, apv: party, aad: party });
  assert.ok((await ok('decrypt', await ok('encrypt', agreed))).data === agreed.data);
});

test('the longest content that is signed, or has a MAC, is verified', async () => {
  const pair = await ok('keys', { kty: 'AKP', alg: 'ML-DSA-87' });
  const { data, ...call } = { ...filled({ kid: pair.kid, alg: 'ML-DSA-87' }), kid: pair.kid, alg: 'ML-DSA-87' };
  assert.equal((await ok('verify', { ...(await ok('sign', { ...call, data })), data })).valid, true);
  const secret = await ok('keys', { kty: 'oct', alg: 'HS512' });
  const longest = { kid: secret.kid, alg: 'HS512', data: 'A'.repeat(MAX_BODY) };
  assert.equal((await ok('mac', { ...longest, mac: (await ok('mac', longest)).mac })).valid, true);
});

test('parties that make a header too long are refused, and messages with all others come back', async () => {
  const { kid } = await ok('keys', { kty: 'EC', crv: 'P-521', alg: 'ECDH-ES' });
  for (let length = 11_000; length <= 13_000; length += 100) {
    const answer = await call('encrypt', { kid, alg: 'ECDH-ES', enc: 'A256GCM', data: 'AA', apu: 'A'.repeat(length) });
    if (answer.status === 200) await ok('decrypt', answer.body);
    else assert.match(answer.text, /apu and apv are too long/);
    assert.equal(answer.status === 200 || length > 11_500, true);
    assert.equal(answer.status !== 200 || length < 12_300, true);
  }
});

test.run();
