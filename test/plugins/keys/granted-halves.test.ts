// A grant on one half of a pair is enough for what that half does, whichever half a JOSE message names; a grant on the other half is for nothing.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import type { Answer, Ask } from '../../server.ts';

const GRANTEE = 'grantee@acme.com';
const DATA = Buffer.from('for one of them').toString('base64url');
const NOT_FOUND = { error: 'not_found', description: 'Key not found' };
let server: SecureServer;
let owner: Ask;
let grantee: Ask;

test.before(async () => {
  server = await startSecureServer();
  owner = server.as(await server.client('owner@acme.com'));
  grantee = server.as(await server.client(GRANTEE));
});
test.after(() => server?.end());

const call = (who: Ask, name: string, body: object): Promise<Answer> => who('POST', `/v1/crypto/${name}`, { body });

async function ok(who: Ask, name: string, body: object): Promise<Answer['body']> {
  const answer = await call(who, name, body);
  assert.equal(answer.status, 200, `${name}: ${answer.text}`);
  return answer.body;
}

async function change(verb: 'grant' | 'revoke', kid: string, operation: string): Promise<void> {
  const answer = await owner('POST', `/access/${verb}`, { body: { unique_identifier: kid, user_id: GRANTEE, operation_types: [operation] } });
  assert.equal(answer.status, 200, answer.text);
}

/** @param works the half that does the work @param other the other half */
async function needsOnly(works: string, other: string, operation: string, name: string, body: object): Promise<void> {
  const refused = async () => {
    const { status, body: told } = await call(grantee, name, body);
    assert.deepEqual([status, told], [404, NOT_FOUND], name);
  };
  await refused();
  await change('grant', other, operation);
  await refused();
  await change('revoke', other, operation);
  await change('grant', works, operation);
  await ok(grantee, name, body);
  await change('revoke', works, operation);
  await refused();
}

test('who may use the public key verifies a signature and encrypts, whichever half is named', async () => {
  const { kid, kid_public } = await ok(owner, 'keys', { kty: 'EC', crv: 'P-256', alg: 'ES256' });
  const signed = await ok(owner, 'sign', { kid, alg: 'ES256', data: DATA });
  await needsOnly(kid_public, kid, 'signature_verify', 'verify', { ...signed, data: DATA });
  const pair = await ok(owner, 'keys', { kty: 'RSA', alg: 'RSA-OAEP-256' });
  for (const named of [pair.kid, pair.kid_public])
    await needsOnly(pair.kid_public, pair.kid, 'encrypt', 'encrypt', { kid: named, alg: 'RSA-OAEP-256', enc: 'A256GCM', data: DATA });
});

test('who may use the private key decrypts and unwraps, whichever half is named', async () => {
  for (const [request, alg] of [
    [{ kty: 'RSA', alg: 'RSA-OAEP-256' }, 'RSA-OAEP-256'],
    [{ kty: 'OKP', crv: 'X25519', alg: 'ECDH-ES' }, 'ECDH-ES+A256KW'],
  ] as const) {
    const { kid, kid_public } = await ok(owner, 'keys', request);
    const jwe = await ok(owner, 'encrypt', { kid: kid_public, alg, enc: 'A256GCM', data: DATA });
    await needsOnly(kid, kid_public, 'decrypt', 'decrypt', jwe);
    await needsOnly(kid, kid_public, 'decrypt', 'keys/unwrap', { protected: jwe.protected, encrypted_key: jwe.encrypted_key });
  }
});

test('a right to verify or to encrypt never signs or decrypts', async () => {
  const { kid, kid_public } = await ok(owner, 'keys', { kty: 'RSA', alg: 'PS256' });
  for (const each of [kid, kid_public]) await change('grant', each, 'signature_verify');
  for (const each of [kid, kid_public]) assert.equal((await call(grantee, 'sign', { kid: each, alg: 'PS256', data: DATA })).status, 404);
  const pair = await ok(owner, 'keys', { kty: 'RSA', alg: 'RSA-OAEP-256' });
  for (const each of [pair.kid, pair.kid_public]) await change('grant', each, 'encrypt');
  assert.equal((await call(grantee, 'decrypt', await ok(owner, 'encrypt', { kid: pair.kid, alg: 'RSA-OAEP-256', enc: 'A256GCM', data: DATA }))).status, 404);
});

test.run();
