// POST /v1/crypto/keys: lengths that no key of a type has are refused by the description as by the server, and keys that there are by neither.
import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { test } from 'uvu';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';

interface Described {
  readonly paths: {
    readonly '/v1/crypto/keys': { readonly post: { readonly requestBody: { readonly content: { readonly 'application/json': { readonly schema: object } } } } };
  };
}

let server: TestServer;
let cookie: string;
let describes: ValidateFunction;
test.before(async () => {
  server = await startServer();
  cookie = await signInAdmin(server);
  const { parse } = createRequire(createRequire(import.meta.url).resolve('@fastify/swagger'))('yaml') as { parse(text: string): Described };
  const { requestBody } = parse((await server.ask('GET', '/openapi.yaml')).text).paths['/v1/crypto/keys'].post;
  describes = new Ajv2020().compile(requestBody.content['application/json'].schema);
});
test.after(() => server?.end());

const bytes = (length: number) => randomBytes(length).toString('base64url');
const judged = async (body: object) => [describes(body), (await server.ask('POST', '/v1/crypto/keys', { cookie, body })).status];

test('numbers that are too short or too long for any key of the type are refused by both', async () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  const publicKey = { kty: 'RSA', n: rsa.n, e: rsa.e };
  for (const body of [
    { ...publicKey, n: bytes(255) },
    { ...publicKey, n: bytes(1_025) },
    { ...publicKey, e: '' },
    { ...rsa, qi: '' },
    { ...rsa, d: bytes(1_025) },
    { kty: 'EC', x: bytes(31), y: bytes(32) },
    { kty: 'EC', crv: 'P-521', d: bytes(67) },
    { kty: 'OKP', crv: 'Ed25519', d: bytes(31) },
    { kty: 'OKP', crv: 'Ed448', x: bytes(58) },
    { kty: 'AKP', alg: 'ML-DSA-44', priv: bytes(31) },
    { kty: 'AKP', alg: 'ML-DSA-44', priv: bytes(33) },
    { kty: 'AKP', alg: 'ML-DSA-44', pub: bytes(1_311) },
    { kty: 'AKP', alg: 'ML-DSA-87', pub: bytes(2_593) },
    { kty: 'oct', alg: 'A128GCM', k: bytes(15) },
    { kty: 'oct', alg: 'HS512', k: bytes(513) },
  ])
    assert.deepEqual(await judged(body), [false, 400], JSON.stringify(body));
});

test('keys of the shortest and of the longest numbers are taken by both', async () => {
  const exported = (pair: { privateKey: KeyObject }) => pair.privateKey.export({ format: 'jwk' });
  const rsa = exported(generateKeyPairSync('rsa', { modulusLength: 2048 }));
  const padded = Buffer.concat([Buffer.alloc(768), Buffer.from(rsa.n as string, 'base64url')]).toString('base64url');
  for (const body of [
    rsa,
    { kty: 'RSA', n: padded, e: rsa.e },
    { kty: 'RSA', n: rsa.n, e: 'Aw' },
    exported(generateKeyPairSync('ec', { namedCurve: 'P-256' })),
    exported(generateKeyPairSync('ec', { namedCurve: 'P-521' })),
    exported(generateKeyPairSync('ed25519')),
    exported(generateKeyPairSync('ed448')),
    exported(generateKeyPairSync('x448')),
    { kty: 'AKP', alg: 'ML-DSA-44', priv: bytes(32) },
    { kty: 'oct', alg: 'A128GCM', k: bytes(16) },
    { kty: 'oct', alg: 'HS256', k: bytes(512) },
  ])
    assert.deepEqual(await judged(body), [true, 200], JSON.stringify(body));
});

test.run();
