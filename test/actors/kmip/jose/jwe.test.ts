// JWE of every algorithm: what we encrypt the jose library decrypts, what it encrypts we decrypt, and nothing else is decrypted.
import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync, type JsonWebKey, randomBytes } from 'node:crypto';
import { FlattenedEncrypt, flattenedDecrypt, GeneralEncrypt, importJWK } from 'jose';
import { test } from 'uvu';
import { type Body, base64url, CryptoApi, header, randomText, tampered } from './crypto-api.ts';

const ENCRYPTIONS: Readonly<Record<string, number>> = {
  A128GCM: 16,
  A192GCM: 24,
  A256GCM: 32,
  'A128CBC-HS256': 32,
  'A192CBC-HS384': 48,
  'A256CBC-HS512': 64,
};
const OAEP = ['RSA-OAEP', 'RSA-OAEP-256', 'RSA-OAEP-384', 'RSA-OAEP-512'];
const WRAP: Readonly<Record<string, number>> = { A128KW: 16, A192KW: 24, A256KW: 32 };
const AGREEMENT = ['ECDH-ES', 'ECDH-ES+A128KW', 'ECDH-ES+A192KW', 'ECDH-ES+A256KW'];
const api = new CryptoApi();
const DATA = base64url('It is a dangerous business, Frodo, going out your door.');

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });

interface Case {
  readonly alg: string;
  readonly enc: string;
  /** With its private members, as both sides import it. */
  readonly jwk: JsonWebKey & { alg?: string };
}

const pair = (crv: string): JsonWebKey =>
  (crv.startsWith('X') ? generateKeyPairSync(crv.toLowerCase() as 'x25519') : generateKeyPairSync('ec', { namedCurve: crv })).privateKey.export({
    format: 'jwk',
  });

const CASES: Case[] = Object.entries(ENCRYPTIONS).flatMap(([enc, length]) => [
  { alg: 'dir', enc, jwk: { kty: 'oct', k: randomText(length), alg: enc } },
  ...Object.entries(WRAP).map(([alg, bytes]) => ({ alg, enc, jwk: { kty: 'oct', k: randomText(bytes), alg } })),
  ...OAEP.map((alg) => ({ alg, enc, jwk: RSA })),
  ...AGREEMENT.flatMap((alg) => ['P-256', 'P-384', 'P-521', 'X25519'].map((crv) => ({ alg, enc, jwk: pair(crv) }))),
]);

const created = new WeakMap<JsonWebKey, Body>();

/** Imports each key once. */
async function imported(jwk: JsonWebKey): Promise<{ kid: string; kid_public?: string }> {
  const known = created.get(jwk);
  if (known) return known;
  const key = await api.ok('createKey', jwk);
  created.set(jwk, key);
  return key;
}

const decryptionKey = ({ jwk }: Case) => (jwk.kty === 'oct' ? Buffer.from(jwk.k as string, 'base64url') : createPrivateKey({ key: jwk, format: 'jwk' }));

async function encryptedByJose({ alg, enc, jwk }: Case, kid: string, aad?: string): Promise<Body> {
  const { d, p, q, dp, dq, qi, ...publicMembers } = jwk;
  const { importJWK } = await import('jose');
  const key = await importJWK(publicMembers as never, alg === 'dir' ? enc : alg);
  const jwe = new FlattenedEncrypt(Buffer.from(DATA, 'base64url')).setProtectedHeader({ alg, enc, kid });
  if (aad !== undefined) jwe.setAdditionalAuthenticatedData(Buffer.from(aad));
  if (alg.startsWith('ECDH')) jwe.setKeyManagementParameters({ apu: Buffer.from('Alice'), apv: Buffer.from('Bob') });
  return jwe.encrypt(key);
}

test('what we encrypt the jose library decrypts, every algorithm', async () => {
  for (const each of CASES) {
    const name = `${each.alg} ${each.enc} ${each.jwk.crv ?? ''}`;
    const { kid, kid_public } = await imported(each.jwk);
    const parties = each.alg.startsWith('ECDH') ? { apu: base64url('Alice'), apv: base64url('Bob') } : {};
    const jwe = await api.ok('encrypt', { kid: kid_public ?? kid, alg: each.alg, enc: each.enc, data: DATA, aad: base64url('context'), ...parties });
    assert.deepEqual(Object.keys(header(jwe.protected)).slice(0, 3), ['alg', 'enc', 'kid'], name);
    // RFC 7516 section 7.2.1 has no member where there is no encrypted key.
    const { encrypted_key, ...others } = jwe;
    const flattened = encrypted_key === '' ? others : jwe;
    assert.equal(base64url((await flattenedDecrypt(flattened, decryptionKey(each))).plaintext), DATA, name);
    assert.deepEqual(await api.ok('decrypt', jwe), { kid: kid_public ?? kid, data: DATA }, name);
  }
});

test('what the jose library encrypts we decrypt, every algorithm, by the identifier of either half', async () => {
  for (const each of CASES) {
    const { kid, kid_public } = await imported(each.jwk);
    for (const id of kid_public === undefined ? [kid] : [kid, kid_public]) {
      const jwe = await encryptedByJose(each, id, 'context');
      assert.deepEqual(await api.ok('decrypt', jwe), { kid: id, data: DATA }, `${each.alg} ${each.enc} ${each.jwk.crv ?? ''}`);
    }
  }
});

test('the parts joined by dots are a compact JWE', async () => {
  const { compactDecrypt } = await import('jose');
  const k = randomText(32);
  const { kid } = await api.ok('createKey', { kty: 'oct', alg: 'A256GCM', k });
  const jwe = await api.ok('encrypt', { kid, alg: 'dir', enc: 'A256GCM', data: DATA });
  assert.deepEqual(Object.keys(jwe), ['protected', 'encrypted_key', 'iv', 'ciphertext', 'tag']);
  const compact = [jwe.protected, jwe.encrypted_key, jwe.iv, jwe.ciphertext, jwe.tag].join('.');
  assert.equal(base64url((await compactDecrypt(compact, Buffer.from(k, 'base64url'))).plaintext), DATA);
});

test('X448: the key of one side is the key of the other', async () => {
  const { kid, kid_public, crv } = await api.ok('createKey', { kty: 'OKP', crv: 'X448' });
  assert.equal(crv, 'X448');
  for (const alg of AGREEMENT) {
    const jwe = await api.ok('encrypt', { kid, alg, enc: 'A128GCM', data: DATA });
    assert.equal(header(jwe.protected).epk.crv, 'X448');
    assert.deepEqual(await api.ok('decrypt', jwe), { kid: kid_public, data: DATA });
  }
});

test('RFC 7518 appendix C: the key that Alice and Bob agree on', async () => {
  const { agreedKey } = await import('../../../../actors/kmip/jose/key-agreement.ts');
  const { createPublicKey } = await import('node:crypto');
  const alice = createPrivateKey({
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: 'gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0',
      y: 'SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps',
      d: '0_NxaRPUMQoAJt50Gz8YiTr8gRTwyEaCumd-MToTmIo',
    },
    format: 'jwk',
  });
  const bob = createPublicKey({
    key: { kty: 'EC', crv: 'P-256', x: 'weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ', y: 'e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck' },
    format: 'jwk',
  });
  const { agree } = await import('../../../../crypto/key/key-agreement.ts');
  const key = await agreedKey(async () => agree(alice, bob), { algorithm: 'A128GCM', length: 16, apu: Buffer.from('Alice'), apv: Buffer.from('Bob') });
  assert.equal(base64url(key), 'VqqN6vgjbSBcIijNcacQGg');
});

test('RFC 7518 appendix B.1: AES_128_CBC_HMAC_SHA_256', async () => {
  const { contentEncryption } = await import('../../../../actors/kmip/jose/named-algorithm.ts');
  const { messageKey, open } = await import('../../../../actors/kmip/jose/sealing.ts');
  const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
  const plaintext = 'A cipher system must not be required to be secret, and it must be able to fall into the hands of the enemy without inconvenience';
  const enc = contentEncryption('A128CBC-HS256', 'body');
  const opened = await open(
    enc,
    messageKey(enc, hex('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f')),
    Buffer.from('The second principle of Auguste Kerckhoffs'),
    {
      iv: hex('1af38c2dc2b96ffdd86694092341bc04'),
      ciphertext: hex(
        'c80edfa32ddf39d5ef00c0b468834279a2e46a1b8049f792f76bfe54b903a9c9a94ac9b47ad2655c5f10f9aef71427e2fc6f9b3f399a221489f16362c7032336' +
          '09d45ac69864e3321cf82935ac4096c86e133314c54019e8ca7980dfa4b9cf1b384c486f3a54c51078158ee5d79de59fbd34d848b3d69550a67646344427ade5' +
          '4b8851ffb598f7f80074b9473c82e2db',
      ),
      tag: hex('652c3fa36b0a7c5b3219fab3a30bc1c4'),
    },
  );
  assert.equal(opened.toString(), plaintext);
});

test('one changed bit in content, tag, IV, header, additional data or encrypted key prevents decryption', async () => {
  for (const each of CASES.filter(({ enc }) => enc === 'A256GCM' || enc === 'A128CBC-HS256')) {
    const { kid } = await imported(each.jwk);
    const jwe = await api.ok('encrypt', { kid, alg: each.alg, enc: each.enc, data: DATA, aad: base64url('context') });
    for (const part of ['ciphertext', 'tag', 'iv', 'aad', 'encrypted_key']) {
      if (jwe[part] === '') continue;
      assert.equal(await api.refused('decrypt', { ...jwe, [part]: tampered(jwe[part]) }), '422 decryption_failed', `${each.alg} ${part}`);
    }
    const { aad: _, ...without } = jwe;
    assert.equal(await api.refused('decrypt', without), '422 decryption_failed');
    const other = base64url(JSON.stringify({ ...header(jwe.protected), typ: 'JWE' }));
    assert.equal(await api.refused('decrypt', { ...jwe, protected: other }), '422 decryption_failed');
  }
});

test('an encrypted key of the wrong length, or from another key, fails as tampered content does', async () => {
  const rsa = await api.ok('createKey', { kty: 'RSA' });
  const jwe = await api.ok('encrypt', { kid: rsa.kid_public, alg: 'RSA-OAEP-256', enc: 'A256GCM', data: DATA });
  const answers = new Set<string>();
  const shorter = base64url(JSON.stringify({ alg: 'RSA-OAEP-256', enc: 'A128GCM', kid: rsa.kid }));
  for (const changed of [{ encrypted_key: randomText(256) }, { encrypted_key: randomText(3) }, { protected: shorter }, { tag: tampered(jwe.tag) }])
    answers.add(JSON.stringify(await api.call({ name: 'decrypt' }, { ...jwe, ...changed })));
  assert.deepEqual([...answers], ['{"status":422,"body":{"error":"decryption_failed","description":"Decryption failed"}}']);
});

test('what is unwrapped is a key for dir, and has the length that enc needs', async () => {
  for (const each of CASES.filter(({ alg }) => alg !== 'dir' && alg !== 'ECDH-ES')) {
    const { kid } = await imported(each.jwk);
    const jwe = await api.ok('encrypt', { kid, alg: each.alg, enc: each.enc, data: DATA });
    const cek = await api.ok('unwrapKey', { protected: jwe.protected, encrypted_key: jwe.encrypted_key });
    assert.deepEqual({ ...cek, kid: '' }, { kid: '', kty: 'oct', alg: each.enc, key_ops: ['encrypt', 'decrypt'] });
    const { protected: _, encrypted_key, ...sealed } = jwe;
    const direct = await api.ok('encrypt', { kid: cek.kid, alg: 'dir', enc: each.enc, data: DATA });
    assert.equal((await api.ok('decrypt', direct)).data, DATA);
    assert.equal(await api.refused('decrypt', { ...sealed, protected: direct.protected }), '422 decryption_failed');
    assert.equal(await api.refused('unwrapKey', { protected: jwe.protected, encrypted_key: tampered(encrypted_key) }), '422 decryption_failed');
  }
});

test('an ephemeral key off the curve, of another curve or missing is refused', async () => {
  const { kid } = await api.ok('createKey', { kty: 'EC', crv: 'P-256', alg: 'ECDH-ES' });
  const jwe = await api.ok('encrypt', { kid, alg: 'ECDH-ES', enc: 'A128GCM', data: DATA });
  const members = header(jwe.protected);
  for (const epk of [undefined, 'text', pair('P-384'), pair('X25519'), { ...members.epk, y: members.epk.x }, { ...members.epk, y: undefined }]) {
    const encoded = base64url(JSON.stringify({ ...members, epk }));
    assert.equal(await api.refused('decrypt', { ...jwe, protected: encoded }), '400 bad_request', JSON.stringify(epk));
  }
});

test('X25519: a point of small order agrees on nothing', async () => {
  const { kid } = await api.ok('createKey', { kty: 'OKP', crv: 'X25519' });
  const encoded = base64url(JSON.stringify({ alg: 'ECDH-ES', enc: 'A128GCM', kid, epk: { kty: 'OKP', crv: 'X25519', x: base64url(Buffer.alloc(32)) } }));
  assert.equal(await api.refused('decrypt', { protected: encoded, iv: randomText(12), ciphertext: '', tag: randomText(16) }), '422 decryption_failed');
});

test('no IV comes twice, and nothing is padded away: contents of every length come back', async () => {
  for (const enc of Object.keys(ENCRYPTIONS)) {
    const { kid } = await api.ok('createKey', { kty: 'oct', alg: enc });
    const seen = new Set<string>();
    for (let length = 0; length < 34; length++) {
      const data = base64url(randomBytes(length));
      const jwe = await api.ok('encrypt', { kid, alg: 'dir', enc, data });
      seen.add(jwe.iv);
      assert.equal((await api.ok('decrypt', jwe)).data, data);
    }
    assert.equal(seen.size, 34);
  }
});

test('header members beside the protected ones count, and none may be in two headers', async () => {
  const plaintext = Buffer.from(DATA, 'base64url');
  const [one, other] = [pair('P-256'), pair('X25519')];
  const publicOf = ({ d, ...members }: JsonWebKey) => importJWK(members as never, 'ECDH-ES+A256KW');
  const kids = [(await imported(one)).kid, (await imported(other)).kid];
  // With several recipients, each has alg, kid and epk in a header of its own.
  const general = new GeneralEncrypt(plaintext).setProtectedHeader({ enc: 'A256GCM' });
  for (const [at, jwk] of [one, other].entries()) {
    general.addRecipient(await publicOf(jwk)).setUnprotectedHeader({ alg: 'ECDH-ES+A256KW', kid: kids[at] as string });
  }
  const { recipients, ...message } = await general.encrypt();
  for (const [at, recipient] of recipients.entries()) {
    assert.ok(recipient.header?.['epk']);
    const jwe = { ...message, ...recipient };
    assert.deepEqual(await api.ok('decrypt', jwe), { kid: kids[at], data: DATA });
    const { alg, ...rest } = recipient.header as { alg: string };
    assert.deepEqual(await api.ok('decrypt', { ...jwe, header: rest, unprotected: { alg } }), { kid: kids[at], data: DATA });
    for (const wrong of [
      { unprotected: { alg } },
      { unprotected: { enc: 'A256GCM' } },
      { header: { ...rest, enc: 'A256GCM' } },
      { unprotected: { crit: ['b64'] } },
      { unprotected: { zip: 'DEF' } },
      { unprotected: [] },
      { unprotected: 'text' },
      { header: rest },
    ])
      assert.equal(await api.refused('decrypt', { ...jwe, ...wrong }), '400 bad_request', JSON.stringify(wrong));
    assert.deepEqual(await api.ok('decrypt', { ...jwe, unprotected: null }), { kid: kids[at], data: DATA });
    assert.equal(typeof (await api.ok('unwrapKey', jwe)).kid, 'string');
  }
});

test.run();
