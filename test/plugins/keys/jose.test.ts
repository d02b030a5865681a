// The jose package, unmodified, against /v1/crypto over HTTPS: what one side encrypts or signs the other opens and verifies, every algorithm both have.
import assert from 'node:assert/strict';
import { generateKeyPairSync, type JsonWebKey, randomBytes } from 'node:crypto';
import { CompactEncrypt, CompactSign, compactDecrypt, compactVerify, importJWK, type JWK } from 'jose';
import { test } from 'uvu';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import type { Answer, Ask } from '../../server.ts';

// covers: POST /v1/crypto/encrypt, POST /v1/crypto/decrypt, POST /v1/crypto/sign, POST /v1/crypto/verify, POST /v1/crypto/mac, POST /v1/crypto/keys

/** Content encryptions, and the bytes of their keys. */
const ENCRYPTIONS = { A128GCM: 16, A192GCM: 24, A256GCM: 32, 'A128CBC-HS256': 32, 'A192CBC-HS384': 48, 'A256CBC-HS512': 64 };
const CURVES = ['P-256', 'P-384', 'P-521', 'X25519'];

type Key = JsonWebKey & { alg?: string; pub?: string; priv?: string };
interface Row {
  readonly alg: string;
  /** Of JWE. */
  readonly enc?: string;
  /** The whole key, which jose has and the server imports. */
  readonly jwk: Key;
}

const pairs = generateKeyPairSync as unknown as (type: string, options?: object) => { privateKey: { export(options: object): Key } };
const pair = (type: string, options?: object): Key => pairs(type, options).privateKey.export({ format: 'jwk' });
const secret = (bytes: number, alg: string): Key => ({ kty: 'oct', k: randomBytes(bytes).toString('base64url'), alg });
const RSA = pair('rsa', { modulusLength: 2048 });
const EXCHANGE = new Map(CURVES.map((crv) => [crv, crv.startsWith('X') ? pair('x25519') : pair('ec', { namedCurve: crv })]));

const JWE: readonly Row[] = Object.entries(ENCRYPTIONS).flatMap(([enc, bytes]) => [
  { alg: 'dir', enc, jwk: secret(bytes, enc) },
  ...Object.entries({ A128KW: 16, A192KW: 24, A256KW: 32 }).map(([alg, length]) => ({ alg, enc, jwk: secret(length, alg) })),
  ...['RSA-OAEP', 'RSA-OAEP-256', 'RSA-OAEP-384', 'RSA-OAEP-512'].map((alg) => ({ alg, enc, jwk: RSA })),
  ...['ECDH-ES', 'ECDH-ES+A128KW', 'ECDH-ES+A192KW', 'ECDH-ES+A256KW'].flatMap((alg) => [...EXCHANGE.values()].map((jwk) => ({ alg, enc, jwk }))),
]);

const JWS: readonly Row[] = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].map((alg) => ({ alg, jwk: RSA })),
  ...Object.entries({ ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' }).map(([alg, namedCurve]) => ({ alg, jwk: pair('ec', { namedCurve }) })),
  ...['EdDSA', 'Ed25519'].map((alg) => ({ alg, jwk: pair('ed25519') })),
  ...['ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87'].map((alg) => ({ alg, jwk: { ...pair(alg.toLowerCase()), alg } })),
];

const HMAC: readonly Row[] = Object.entries({ HS256: 32, HS384: 48, HS512: 64 }).map(([alg, bytes]) => ({ alg, jwk: secret(bytes, alg) }));

const TEXT = 'Speak, friend, and enter: é 日本 🔑';
const DATA = Buffer.from(TEXT).toString('base64url');
const PARTS = ['protected', 'encrypted_key', 'iv', 'ciphertext', 'tag'];

let server: SecureServer;
let ask: Ask;
/** Identifiers of what was imported: each key once. */
const kids = new Map<Key, Answer['body']>();

test.before(async () => {
  server = await startSecureServer();
  ask = server.as(await server.client('owner@acme.com'));
});
test.after(() => server?.end());

async function call(name: string, body: object): Promise<Answer['body']> {
  const answer = await ask('POST', `/v1/crypto/${name}`, { body });
  assert.equal(answer.status, 200, `${name} ${JSON.stringify(body).slice(0, 200)}: ${answer.text}`);
  return answer.body;
}

async function imported({ jwk }: Row): Promise<{ kid: string; kid_public?: string }> {
  const known = kids.get(jwk) ?? (await call('keys', jwk));
  kids.set(jwk, known);
  return known;
}

const PRIVATE: ReadonlySet<string> = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'priv']);
const publicHalf = (jwk: Key): Key => Object.fromEntries(Object.entries(jwk).filter(([name]) => !PRIVATE.has(name)));
const josed = (jwk: Key, alg: string) => importJWK({ ...jwk, alg } as JWK, alg);
const named = ({ alg, enc = '', jwk }: Row) => `${alg} ${enc} ${jwk.crv ?? ''}`;
/** The name under which jose imports the key. */
const keyName = ({ alg, enc }: Row) => (alg === 'dir' ? (enc as string) : alg);

test('what we encrypt jose decrypts, for every alg and enc', async () => {
  for (const row of JWE) {
    const { kid, kid_public } = await imported(row);
    const jwe = await call('encrypt', { kid: kid_public ?? kid, alg: row.alg, enc: row.enc, data: DATA });
    const { plaintext, protectedHeader } = await compactDecrypt(PARTS.map((part) => jwe[part] ?? '').join('.'), await josed(row.jwk, keyName(row)));
    assert.equal(Buffer.from(plaintext).toString(), TEXT, named(row));
    assert.deepEqual([protectedHeader.alg, protectedHeader.enc, protectedHeader.kid], [row.alg, row.enc, kid_public ?? kid]);
  }
});

test('what jose encrypts we decrypt, for every alg and enc', async () => {
  for (const row of JWE) {
    const { kid } = await imported(row);
    const header = { alg: row.alg, enc: row.enc as string, kid };
    const jwe = await new CompactEncrypt(Buffer.from(TEXT)).setProtectedHeader(header).encrypt(await josed(publicHalf(row.jwk), keyName(row)));
    const parts = jwe.split('.');
    const body = Object.fromEntries(PARTS.map((part, index) => [part, parts[index] as string]));
    assert.deepEqual(await call('decrypt', body), { kid, data: DATA }, named(row));
  }
});

test('what we sign jose verifies, and what jose signs we verify, for every alg', async () => {
  for (const row of JWS) {
    const { kid } = await imported(row);
    const ours = await call('sign', { kid, alg: row.alg, data: DATA });
    const { payload } = await compactVerify(`${ours.protected}.${DATA}.${ours.signature}`, await josed(publicHalf(row.jwk), row.alg));
    assert.equal(Buffer.from(payload).toString(), TEXT, named(row));
    const theirs = await new CompactSign(Buffer.from(TEXT)).setProtectedHeader({ alg: row.alg, kid }).sign(await josed(row.jwk, row.alg));
    const [encoded, data, signature] = theirs.split('.');
    assert.deepEqual(await call('verify', { protected: encoded, data, signature }), { kid, valid: true }, named(row));
    assert.deepEqual(await call('verify', { protected: encoded, data: `${data}AAAA`, signature }), { kid, valid: false }, named(row));
  }
});

test('our MAC of a JWS is the signature that jose verifies, and the other way round', async () => {
  for (const row of HMAC) {
    const { kid } = await imported(row);
    const input = `${Buffer.from(JSON.stringify({ alg: row.alg, kid })).toString('base64url')}.${DATA}`;
    const { mac } = await call('mac', { kid, alg: row.alg, data: Buffer.from(input).toString('base64url') });
    const { payload } = await compactVerify(`${input}.${mac}`, await josed(row.jwk, row.alg));
    assert.equal(Buffer.from(payload).toString(), TEXT, row.alg);
    const theirs = await new CompactSign(Buffer.from(TEXT)).setProtectedHeader({ alg: row.alg }).sign(await josed(row.jwk, row.alg));
    const signed = theirs.slice(0, theirs.lastIndexOf('.'));
    const body = { kid, alg: row.alg, data: Buffer.from(signed).toString('base64url'), mac: theirs.slice(signed.length + 1) };
    assert.equal((await call('mac', body)).valid, true, row.alg);
  }
});

test('keys that the server makes: jose works with the public half as it is answered', async () => {
  const requests = [
    ...['RSA-OAEP', 'RSA-OAEP-256', 'RSA-OAEP-384', 'RSA-OAEP-512'].map((alg) => ({ kty: 'RSA', alg })),
    ...CURVES.map((crv) => ({ kty: crv === 'X25519' ? 'OKP' : 'EC', crv, alg: 'ECDH-ES' })),
  ];
  for (const request of requests) {
    const { kid, kid_public, key_ops, ...jwk } = await call('keys', request);
    const jwe = await new CompactEncrypt(Buffer.from(TEXT))
      .setProtectedHeader({ alg: request.alg, enc: 'A256GCM', kid })
      .encrypt(await josed(jwk, request.alg));
    const parts = jwe.split('.');
    assert.equal((await call('decrypt', Object.fromEntries(PARTS.map((part, index) => [part, parts[index]])))).data, DATA, JSON.stringify(request));
  }
  for (const { alg, jwk } of JWS) {
    const { kid, kid_public, key_ops, ...made } = await call('keys', { kty: jwk.kty, alg, ...(jwk.crv === undefined ? {} : { crv: jwk.crv }) });
    const ours = await call('sign', { kid, alg, data: DATA });
    await compactVerify(`${ours.protected}.${DATA}.${ours.signature}`, await josed(made, alg));
  }
});

test.run();
