// The identity actor and JWTs: which signatures, claims, issuers and keys it accepts.
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, type KeyPairKeyObjectResult as Pair, sign } from 'node:crypto';
import { test } from 'uvu';
import type { JwtRequest, KeySetSource } from '../../actors/identity/api.ts';
import { b64, issuerWith, now, refusal, runtime, source, stop, verify } from '../fakes/identity.ts';

test.before(() => runtime.start());
test.after(stop);

test('signatures of every public-key kind are verified, and one fetch serves all', async () => {
  const issuer = await issuerWith('RS256', 'PS256', 'ES256', 'ES384', 'EdDSA');
  const tokens = await Promise.all(['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'].map((kid) => issuer.sign(kid, { sub: kid, iss: 'https://a' })));
  const outcomes = await Promise.all(tokens.map((token) => verify(token, [source(issuer)])));
  assert.deepEqual(
    outcomes.map((outcome) => outcome.ok && [outcome.claims['sub'], outcome.keySet]),
    [
      ['RS256', 0],
      ['PS256', 0],
      ['ES256', 0],
      ['ES384', 0],
      ['EdDSA', 0],
    ],
  );
  assert.equal(issuer.fetches, 1);
});

test('an Ed25519 key of either name fits tokens of both names, whatever its private part may do', async () => {
  const issuer = await issuerWith();
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const signed = (alg: string) => {
    const input = `${b64({ alg, kid: 'one' })}.${b64({ sub: 'x', exp: now() + 300 })}`;
    return `${input}.${sign(null, Buffer.from(input), privateKey).toString('base64url')}`;
  };
  for (const more of [{ alg: 'EdDSA' }, { alg: 'Ed25519' }, {}, { key_ops: ['sign', 'verify'] }]) {
    issuer.misbehave = (_request, response) => void response.end(JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', ...more }] }));
    await runtime.advance(601_000);
    for (const alg of ['EdDSA', 'Ed25519']) assert.equal((await verify(signed(alg), [source(issuer)])).ok, true, `${alg} by ${JSON.stringify(more)}`);
  }
});

test('claims: exp is required and checked, nbf, iss and aud too, by the clock of the server', async () => {
  const issuer = await issuerWith('ES256');
  const check = async (claims: Record<string, unknown>, more: Partial<KeySetSource> = {}, request: Partial<JwtRequest> = {}) =>
    verify(await issuer.sign('ES256', { sub: 'x', ...claims }), [source(issuer, more)], request);
  assert.match(await refusal(check({ exp: undefined })), /"exp"/);
  assert.match(await refusal(check({ exp: now() - 1 })), /"exp"/);
  assert.match(await refusal(check({ exp: 'tomorrow' })), /"exp"/);
  assert.match(await refusal(check({ nbf: now() + 100 })), /"nbf"/);
  assert.match(await refusal(check({ nbf: now() + 35 })), /"nbf"/);
  // The clock of the issuer is a little ahead; no token lives longer for that.
  assert.equal((await check({ nbf: now() + 25 })).ok, true);
  assert.match(await refusal(check({ nbf: now() - 300, exp: now() })), /"exp"/);
  assert.match(await refusal(check({}, { audiences: ['a'] })), /"aud"/);
  assert.match(await refusal(check({ aud: ['b', 'c'] }, { audiences: ['a'] })), /"aud"/);
  assert.equal((await check({ aud: ['b', 'a'] }, { audiences: ['a', 'z'] })).ok, true);
  assert.equal((await check({ aud: 'anything' })).ok, true);
  assert.equal(await refusal(check({}, {}, { requireIssuer: true })), 'no issuer');
  assert.equal(await refusal(check({ iss: 'https://b' }, { issuer: 'https://a' })), 'unknown issuer');
  assert.equal((await check({ iss: 'https://a' }, { issuer: 'https://a' }, { requireIssuer: true })).ok, true);
  const token = await issuer.sign('ES256', { sub: 'x' });
  await runtime.advance(301_000);
  assert.match(await refusal(verify(token, [source(issuer)])), /"exp"/);
});

test('alg none, an HMAC with the public key, and unlisted algorithms are refused before any fetch', async () => {
  const issuer = await issuerWith('RS256', 'ES256');
  const payload = b64({ sub: 'x', exp: now() + 300 });
  const none = `${b64({ alg: 'none', kid: 'RS256' })}.${payload}.`;
  const header = b64({ alg: 'HS256', kid: 'RS256' });
  const hmac = createHmac('sha256', await issuer.publicPem('RS256'))
    .update(`${header}.${payload}`)
    .digest('base64url');
  assert.equal(await refusal(verify(none, [source(issuer)])), 'algorithm not accepted');
  assert.equal(await refusal(verify(`${header}.${payload}.${hmac}`, [source(issuer)])), 'algorithm not accepted');
  assert.equal(await refusal(verify(await issuer.sign('ES256', {}), [source(issuer)], { algorithms: ['RS256'] })), 'algorithm not accepted');
  for (const garbage of ['', 'a.b.c', '..', 'x'.repeat(100_000), `${b64([])}.${b64([])}.`]) {
    assert.match(await refusal(verify(garbage, [source(issuer)])), /malformed token|algorithm not accepted/);
  }
  assert.equal(issuer.fetches, 0);
  // The key type must fit the algorithm that the token names.
  const [, body, signature] = (await issuer.sign('ES256', { sub: 'x' })).split('.');
  assert.notEqual(await refusal(verify(`${b64({ alg: 'RS256', kid: 'ES256' })}.${body}.${signature}`, [source(issuer)])), '');
});

test('claims that are nested deeper than can cross a thread are refused, others pass', async () => {
  const issuer = await issuerWith('ES256');
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
  assert.ok((await verify(await issuer.sign('ES256', { x: nested(31) }), [source(issuer)])).ok);
  for (const levels of [32, 200]) assert.equal(await refusal(verify(await issuer.sign('ES256', { x: nested(levels) }), [source(issuer)])), 'malformed token');
});

/** @param header and @param claims JSON texts, signed as they are */
function signedTexts(key: Pair, header: string, claims: string): string {
  const input = [header, claims].map((text) => Buffer.from(text).toString('base64url')).join('.');
  return `${input}.${sign('sha256', Buffer.from(input), { key: key.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/** @param before members of its key set before `keys` @returns an issuer with the one key `one`, and what signs texts with it */
async function signer(before = '') {
  const issuer = await issuerWith();
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys = JSON.stringify([{ ...pair.publicKey.export({ format: 'jwk' }), kid: 'one' }]);
  issuer.misbehave = (_request, response) => void response.end(`{${before}"keys":${keys}}`);
  return { issuer, signed: (claims: string, header = '{"alg":"ES256","kid":"one"}') => signedTexts(pair, header, claims) };
}

test('a header parameter or a claim that stands twice is refused before any fetch', async () => {
  const { issuer, signed } = await signer();
  const end = `"exp":${now() + 300}`;
  for (const [claims, header, member] of [
    [`{"sub":"ann","sub":"bob",${end}}`, undefined, '/sub'],
    [`{"sub":"ann","\\u0073ub":"ann",${end}}`, undefined, '/sub'],
    [`{"sub":"ann","more":{"a":1,"a":1},${end}}`, undefined, '/more/a'],
    [`{"sub":"ann",${end}}`, '{"alg":"ES256","kid":"other","kid":"one"}', '/kid'],
    [`{"sub":"ann",${end}}`, '{"alg":"none","alg":"ES256","kid":"one"}', '/alg'],
  ] as const)
    assert.equal(await refusal(verify(signed(claims, header), [source(issuer)])), `the token has a member twice: ${member}`);
  assert.equal(issuer.fetches, 0);
  assert.equal((await verify(signed(`{"sub":"ann","more":{"sub":1},${end}}`), [source(issuer)])).ok, true);
});

test('dates of claims are finite numbers: 1e999 is Infinity once read, and such a token would never end', async () => {
  const { issuer, signed } = await signer();
  const good = { exp: String(now() + 300), nbf: String(now()), iat: String(now()) };
  const textOf = (dates: object) => `{"sub":"ann",${Object.entries(dates).map(([name, date]) => `"${name}":${date}`)}}`;
  for (const name of ['exp', 'nbf', 'iat'])
    for (const date of ['1e999', '-1e999', `${'9'.repeat(400)}`, '"1"', 'null', '[1]'])
      assert.match(await refusal(verify(signed(textOf({ ...good, [name]: date })), [source(issuer)])), new RegExp(`"${name}"`), `${name} ${date}`);
  assert.equal((await verify(signed(textOf({ ...good, exp: '1e300', iat: '1.5e9', nbf: '-1' })), [source(issuer)])).ok, true);
});

test('a key set whose members stand twice is read as before: its issuer would be locked out', async () => {
  const { issuer, signed } = await signer('"keys":[],');
  assert.equal((await verify(signed(`{"sub":"ann","exp":${now() + 300}}`), [source(issuer)])).ok, true);
});

test('a key counts only for the issuer it was fetched for', async () => {
  const [a, b] = [await issuerWith('ES256'), await issuerWith('ES256')];
  const sets = [source(a, { issuer: 'https://a' }), source(b, { issuer: 'https://b' })];
  const good = await verify(await b.sign('ES256', { iss: 'https://b' }), sets);
  assert.deepEqual(good.ok && good.keySet, 1);
  assert.match(await refusal(verify(await b.sign('ES256', { iss: 'https://a' }), sets)), /signature/);
  assert.equal(await refusal(verify(await b.sign('ES256', { iss: 'https://c' }), sets)), 'unknown issuer');
  // Changed settings count at once, although the set is known.
  assert.equal(await refusal(verify(await b.sign('ES256', { iss: 'https://b' }), [source(b, { issuer: 'https://new' })])), 'unknown issuer');
  assert.equal(b.fetches, 1);
});

test('a key id is required where it is said; without one every key that fits is tried', async () => {
  const issuer = await issuerWith('ES256');
  await issuer.addKey('second', 'ES256');
  const nameless = await issuer.sign('second', { sub: 'x' }, { kid: undefined });
  assert.equal((await verify(nameless, [source(issuer)])).ok, true);
  assert.equal(await refusal(verify(nameless, [source(issuer)], { requireKid: true })), 'no key id');
});

test('an id given to another key leads to that one, and forged signatures to one fetch a minute', async () => {
  const { issuer, signed } = await signer();
  const claims = () => `{"sub":"ann","exp":${now() + 300}}`;
  const before = signed(claims());
  assert.equal((await verify(before, [source(issuer)])).ok, true);
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  issuer.misbehave = (_request, response) => void response.end(JSON.stringify({ keys: [{ ...other.publicKey.export({ format: 'jwk' }), kid: 'one' }] }));
  await runtime.advance(61_000);
  const after = signedTexts(other, '{"alg":"ES256","kid":"one"}', claims());
  assert.equal((await verify(after, [source(issuer)])).ok, true);
  assert.equal(issuer.fetches, 2);
  // The key that was replaced verifies nothing any more, and asking for it again and again fetches nothing.
  for (let tried = 0; tried < 5; tried++) assert.match(await refusal(verify(before, [source(issuer)])), /signature/);
  assert.equal(issuer.fetches, 2);
  await runtime.advance(61_000);
  for (let tried = 0; tried < 5; tried++) assert.match(await refusal(verify(before, [source(issuer)])), /signature/);
  assert.equal(issuer.fetches, 3);
  assert.equal((await verify(after, [source(issuer)])).ok, true);
});

test('a key that cannot be used does not hide another that has its id, or that fits a token without one', async () => {
  const issuer = await issuerWith('ES256');
  const [good, next, short] = [2_048, 2_048, 1_024].map((modulusLength) => generateKeyPairSync('rsa', { modulusLength })) as [Pair, Pair, Pair];
  const publish = (...pairs: Pair[]) => {
    const keys = pairs.map(({ publicKey }) => ({ ...publicKey.export({ format: 'jwk' }), kid: 'one' }));
    issuer.misbehave = (_request, response) => void response.end(JSON.stringify({ keys }));
  };
  const tokenOf = ({ privateKey }: Pair, kid?: string) => {
    const signed = `${b64({ alg: 'RS256', kid })}.${b64({ sub: 'x', exp: now() + 300 })}`;
    return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
  };
  publish(short, good);
  for (const kid of ['one', undefined]) assert.equal((await verify(tokenOf(good, kid), [source(issuer)])).ok, true);
  assert.match(await refusal(verify(tokenOf(short, 'one'), [source(issuer)])), /signature/);
  // No key of the set fits, so the token may be of a newer one.
  publish(short);
  await runtime.advance(601_000);
  assert.match(await refusal(verify(tokenOf(good, 'one'), [source(issuer)])), /2048 bits/);
  publish(next);
  await runtime.advance(61_000);
  assert.equal((await verify(tokenOf(next), [source(issuer)])).ok, true);
});

test('a token that reports events, such as the logout token of an identity provider, is no credential', async () => {
  const issuer = await issuerWith('ES256');
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  for (const header of [{ typ: 'logout+jwt' }, {}])
    assert.equal(
      await refusal(verify(await issuer.sign('ES256', { sub: 'x', events }, header), [source(issuer)])),
      'the token reports events and is no credential',
    );
  for (const none of ['all', null, []]) assert.equal((await verify(await issuer.sign('ES256', { sub: 'x', events: none }), [source(issuer)])).ok, true);
});

test.run();
