// Keys of the crypto API are keys of KMIP: its operations use them with the parameters that their alg stands for.
import assert from 'node:assert/strict';
import { constants, createPublicKey, verify } from 'node:crypto';
import { test } from 'uvu';
import type { Operation } from '../../../../actors/kmip/operation.ts';
import { OPERATIONS } from '../../../../actors/kmip/operations/index.ts';
import { bytes, type Node, structure, text } from '../../../../kmip/ttlv/node.ts';
import { bytesOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { type Body, base64url, CryptoApi } from './crypto-api.ts';

const DATA = Buffer.from('shared');
const api = new CryptoApi();

/** One byte string of the answer of an operation of KMIP. */
async function kmip(name: 'Sign' | 'Encrypt' | 'Decrypt' | 'MAC', wanted: number, kid: string, ...members: Node[]): Promise<Buffer> {
  const request = structure(TAG.RequestPayload, [text(TAG.UniqueIdentifier, kid), ...members]);
  const answer = (await (OPERATIONS[name] as Operation).run(request, api.ctx)) as Node[];
  return Buffer.from(bytesOf(structure(TAG.ResponsePayload, answer), wanted) as Uint8Array);
}

test('Sign without parameters signs as alg says', async () => {
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  const cases: [body: Body, hash: string | null, options: object][] = [
    [{ kty: 'RSA', alg: 'RS384' }, 'sha384', { padding: constants.RSA_PKCS1_PADDING }],
    [{ kty: 'RSA', alg: 'PS256' }, 'sha256', pss],
    [{ kty: 'EC', alg: 'ES384' }, 'sha384', { dsaEncoding: 'der' }],
    [{ kty: 'OKP', alg: 'EdDSA' }, null, {}],
    [{ kty: 'AKP', alg: 'ML-DSA-44' }, null, {}],
  ];
  for (const [body, hash, options] of cases) {
    const { kid, kid_public, key_ops, ...jwk } = await api.ok('createKey', body);
    const signature = await kmip('Sign', TAG.SignatureData, kid, bytes(TAG.Data, DATA));
    assert.ok(verify(hash, DATA, { key: createPublicKey({ key: jwk, format: 'jwk' }), ...options }, signature), body.alg);
  }
});

test('Decrypt without parameters takes the key out of a JWE', async () => {
  for (const alg of ['RSA-OAEP', 'RSA-OAEP-256']) {
    const { kid, kid_public } = await api.ok('createKey', { kty: 'RSA', alg });
    const jwe = await api.ok('encrypt', { kid: kid_public, alg, enc: 'A192GCM', data: base64url(DATA) });
    const cek = await kmip('Decrypt', TAG.Data, kid, bytes(TAG.Data, Buffer.from(jwe.encrypted_key, 'base64url')));
    const imported = await api.ok('createKey', { kty: 'oct', alg: 'A192GCM', k: base64url(cek) });
    const protectedByImported = await api.ok('encrypt', { kid: imported.kid, alg: 'dir', enc: 'A192GCM', data: base64url(DATA) });
    assert.equal(cek.length, 24);
    assert.equal((await api.ok('decrypt', protectedByImported)).data, base64url(DATA));
  }
});

test('AES-GCM: what the crypto API encrypts KMIP decrypts, with its protected header as additional data', async () => {
  const { kid } = await api.ok('createKey', { kty: 'oct', alg: 'A256GCM' });
  const jwe = await api.ok('encrypt', { kid, alg: 'dir', enc: 'A256GCM', data: base64url(DATA) });
  const part = (tag: number, name: string) => bytes(tag, Buffer.from(jwe[name], 'base64url'));
  const additional = bytes(TAG.AuthenticatedEncryptionAdditionalData, Buffer.from(jwe.protected));
  const sealed = [part(TAG.Data, 'ciphertext'), part(TAG.IVCounterNonce, 'iv'), additional, part(TAG.AuthenticatedEncryptionTag, 'tag')];
  assert.deepEqual(await kmip('Decrypt', TAG.Data, kid, ...sealed), DATA);
});

test('MAC without parameters is the one of alg', async () => {
  const { kid } = await api.ok('createKey', { kty: 'oct', alg: 'HS512' });
  const { mac } = await api.ok('mac', { kid, alg: 'HS512', data: base64url(DATA) });
  assert.equal(base64url(await kmip('MAC', TAG.MACData, kid, bytes(TAG.Data, DATA))), mac);
});

test('who may use one half of a pair is told that the other is not there', async () => {
  const told = async (name: 'verify' | 'decrypt' | 'encrypt', body: Body) => (await api.call({ name }, body)).body;
  const missing = (half: string) => ({ error: 'not_found', description: `Key not found: no ${half} key on this server is linked with this one` });
  const signing = await api.ok('createKey', { kty: 'EC', alg: 'ES256' });
  const signed = await api.ok('sign', { kid: signing.kid, alg: 'ES256', data: '' });
  const [agreeing, { kid, kid_public, ...jwk }] = [
    await api.ok('createKey', { kty: 'EC', alg: 'ECDH-ES' }),
    await api.ok('createKey', { kty: 'EC', alg: 'ECDH-ES' }),
  ];
  // As keys that others register, one half alone.
  for (const alone of [signing, agreeing]) api.ctx.objects.get(alone.kid)?.attributes.remove(TAG.Link);
  assert.deepEqual(await told('verify', { ...signed, data: '' }), missing('public'));
  const sealing = { alg: 'ECDH-ES', enc: 'A128GCM', data: '' };
  assert.deepEqual(await told('encrypt', { ...sealing, kid: agreeing.kid }), missing('public'));
  const imported = await api.ok('createKey', jwk);
  assert.deepEqual(await told('decrypt', await api.ok('encrypt', { ...sealing, kid: imported.kid })), missing('private'));
  assert.deepEqual(await told('encrypt', { ...sealing, kid: 'nobody' }), { error: 'not_found', description: 'Key not found' });
});

test.run();
