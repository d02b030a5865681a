// Keys that the crypto API makes on a token, or brings there: whose `kid` says where they are to lie.
import assert from 'node:assert/strict';
import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { test } from 'uvu';
import type { Ask } from '../../server.ts';
import { skipWithout } from '../../system.ts';
import { done, enumeration, type HsmServer, identifier, kmip, startHsmServer } from './hsm-server.ts';

let server: HsmServer;
const id = (name: string) => server.prefix + name;
const DATA = Buffer.from('hello').toString('base64url');

type Body = Readonly<Record<string, unknown>>;

async function post(path: string, body: Body, as: Ask = server.admin): Promise<Body> {
  const answer = await as('POST', `/v1/crypto/${path}`, { body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body as unknown as Body;
}

async function refusal(body: Body, as: Ask = server.admin): Promise<string> {
  const { status, text: why } = await as('POST', '/v1/crypto/keys', { body });
  assert.ok(status >= 400 && status < 500, `${status} ${why}`);
  return `${status} ${why}`;
}

const labels = () => (server.hsm.tool(server.slot, '[...labels(2), ...labels(3), ...labels(4)].sort()') as string[]).join(' ');

async function attribute(kid: unknown, tag: string): Promise<string> {
  const { Attributes: found } = await done(kmip(server.admin, 'GetAttributes', identifier(String(kid)), enumeration('AttributeReference', tag)));
  return JSON.stringify(found);
}

async function signs(kid: unknown, alg: string): Promise<void> {
  const signed = await post('sign', { kid, alg, data: DATA });
  assert.equal((await post('verify', { ...signed, data: DATA })).valid, true);
}

if (!skipWithout('softhsm2')) {
  test.before(async () => {
    server = await startHsmServer();
  });
  test.after(() => server.end());

  test('a new key lies on the token that its kid names, and is used as every other', async () => {
    const aes = await post('keys', { kid: id('content'), kty: 'oct', alg: 'A256GCM' });
    assert.deepEqual(aes, { kid: id('content'), kty: 'oct', alg: 'A256GCM', key_ops: ['encrypt', 'decrypt'] });
    const sealed = await post('encrypt', { kid: id('content'), alg: 'dir', enc: 'A256GCM', data: DATA });
    assert.equal((await post('decrypt', sealed)).data, DATA);
    const { mac } = await post('keys', { kid: id('codes'), kty: 'oct', alg: 'HS256' }).then(({ kid }) => post('mac', { kid, alg: 'HS256', data: DATA }));
    assert.equal((await post('mac', { kid: id('codes'), alg: 'HS256', data: DATA, mac })).valid, true);
    for (const [name, alg, body] of [
      ['ec', 'ES256', { kty: 'EC', crv: 'P-256', alg: 'ES256' }],
      ['rsa', 'PS256', { kty: 'RSA', bits: 2048, alg: 'PS256' }],
      ['ed', 'EdDSA', { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA' }],
    ] as const) {
      const made = await post('keys', { kid: id(name), ...body });
      assert.deepEqual([made.kid, made.kid_public, made.alg], [id(name), id(`${name}_pk`), alg]);
      await signs(made.kid, alg);
    }
    assert.match(labels(), /codes content ec ec ed ed rsa rsa/);
    assert.match(await attribute(id('ec'), 'Sensitive'), /true/);
  });

  test('a key that a client has is brought to the token, with the public key of its pair or that alone', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = (key: typeof privateKey): JsonWebKey => key.export({ format: 'jwk' });
    const brought = await post('keys', { ...jwk(privateKey), kid: id('brought'), alg: 'ES256' });
    assert.deepEqual([brought.kid, brought.kid_public, brought.x], [id('brought'), id('brought_pk'), jwk(publicKey).x]);
    await signs(brought.kid, 'ES256');
    const alone = await post('keys', { ...jwk(publicKey), kid: id('alone_pk'), alg: 'ES256' });
    assert.deepEqual([alone.kid, alone.kid_public], [id('alone_pk'), undefined]);
    const k = Buffer.alloc(32, 7).toString('base64url');
    await post('keys', { kty: 'oct', k, alg: 'A256GCM', kid: id('old') });
    const sealed = await post('encrypt', { kid: id('old'), alg: 'dir', enc: 'A256GCM', data: DATA });
    const { kid: here } = await post('keys', { kty: 'oct', k, alg: 'A256GCM', kid: 'a name from elsewhere' });
    assert.match(String(here), /^[0-9a-f-]{36}$/);
    const header = Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid: id('old') })).toString('base64url');
    assert.equal(sealed.protected, header);
    for (const kid of [here, id('old')]) assert.equal(await attribute(kid, 'RandomNumberGenerator'), '[]', 'this server has not made it');
    assert.match(labels(), /alone brought brought/);
  });

  test('what the token does not take is refused, and nothing of it stays', async () => {
    const before = labels();
    assert.match(await refusal({ kid: id('mine'), kty: 'oct', alg: 'A256GCM' }, server.user), /^403/);
    assert.match(await refusal({ kid: 'hsm::no_such::0::a', kty: 'oct', alg: 'A256GCM' }), /no HSM has this prefix/);
    assert.match(await refusal({ kid: id('content'), kty: 'oct', alg: 'A256GCM' }), /already exists/);
    assert.match(await refusal({ kid: id('ml'), kty: 'AKP', alg: 'ML-DSA-44' }), /an HSM makes no pair of MLDSA_44; it makes RSA keys, and others on P_256/);
    assert.match(await refusal({ kid: id('short'), kty: 'EC', crv: 'P-256', bits: 384 }), /bits must be 256/);
    assert.match(await refusal({ kid: id('end_pk'), kty: 'EC', crv: 'P-256' }), /the identifier of a public key in an HSM ends with _pk, and no other does/);
    assert.equal(labels(), before);
    const { status } = await server.admin('DELETE', `/v1/crypto/keys/${encodeURIComponent(id('ec'))}`);
    assert.equal(status, 204);
    assert.doesNotMatch(labels(), /\bec\b/);
  });
}

test.run();
