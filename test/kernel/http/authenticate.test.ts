// Authenticators of several plugins: asked in their order, for the first credential that is present and for no other.
import assert from 'node:assert/strict';
import type { FastifyRequest } from 'fastify';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { createAuthentication } from '../../../kernel/http/caller/authenticate.ts';
import { cookieIn } from '../../../kernel/http/caller/cookie.ts';
import type { Authenticator, Authenticators, CredentialKind } from '../../../kernel/http/caller/credential.ts';

const asked: string[] = [];

/** Knows the values that begin with its name. */
function knows(name: string, credential: CredentialKind): Authenticator {
  return async ({ value }) => {
    asked.push(`${name} ${value}`);
    return value.startsWith(name) ? { credential, realm: '', username: name, scheme: 'x' } : undefined;
  };
}

const plugins: Authenticators[] = [
  { authorization: knows('a', 'authorization'), cookie: knows('a', 'cookie'), 'app-token': knows('a', 'app-token') },
  {},
  { authorization: knows('b', 'authorization') },
  { authorization: knows('b', 'authorization') },
];
const authentication = createAuthentication(plugins, createClock());

function request(headers: Record<string, string>, cookies: Record<string, string> = {}): FastifyRequest {
  asked.length = 0;
  const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
  return { headers: { ...headers, ...(cookie.length > 0 && { cookie: cookie.join('; ') }) }, raw: { socket: {} }, host: 'here' } as unknown as FastifyRequest;
}

test('the first plugin that recognizes a credential decides whose it is; later plugins are not asked', async () => {
  assert.equal((await authentication.attempt(request({ authorization: 'a1' })))?.username, 'a');
  assert.deepEqual(asked, ['a a1']);
  assert.equal((await authentication.attempt(request({ authorization: 'b1' })))?.username, 'b');
  assert.deepEqual(asked, ['a b1', 'b b1']);
});

test('a credential that no plugin recognizes is refused, and the next one is not tried', async () => {
  const refused = (error: unknown) => error instanceof Fault && error.code === 'UNAUTHENTICATED';
  await assert.rejects(async () => authentication.require(request({ authorization: 'c1' }, { _ea_: 'a1' }), ['authorization', 'cookie']), refused);
  assert.deepEqual(asked, ['a c1', 'b c1', 'b c1']);
  await assert.rejects(async () => authentication.require(request({ 'x-app-token': 'c1' }, { _ea_: 'a1' }), ['app-token', 'cookie']), refused);
  assert.deepEqual(asked, ['a c1']);
});

test('an app token has two headers; if they differ neither is a credential, and the cookie is not tried', async () => {
  const accepted: CredentialKind[] = ['app-token', 'cookie'];
  for (const headers of [{ 'x-app-token': 'a1' }, { 'x-vault-token': 'a1' }, { 'x-app-token': 'a1', 'x-vault-token': 'a1' }] as Record<string, string>[]) {
    const { credential, username } = await authentication.require(request(headers, { _ea_: 'a2' }), accepted);
    assert.deepEqual([credential, username, asked], ['app-token', 'a', ['a a1']]);
  }
  await assert.rejects(
    async () => authentication.require(request({ 'x-app-token': 'a1', 'x-vault-token': 'a2' }, { _ea_: 'a3' }), accepted),
    /UNAUTHENTICATED/,
  );
  assert.deepEqual(asked, []);
});

test('two session cookies that differ are no credential, whichever comes first, and the refusal says so', async () => {
  for (const cookie of ['_ea_=a1; _ea_=a2', '_ea_=a2; other=1; _ea_=a1', '_ea_=a1; _ea_=', '_ea_=x; _ea_=a1']) {
    const told = (error: unknown) => error instanceof Fault && error.code === 'UNAUTHENTICATED' && /two different cookies _ea_/.test(error.detail ?? '');
    await assert.rejects(async () => authentication.require(request({ cookie }), ['cookie', 'certificate']), told, cookie);
    assert.deepEqual(asked, []);
    assert.equal((await authentication.require(request({ cookie, authorization: 'a3' }), ['authorization'])).username, 'a');
  }
  assert.equal((await authentication.require(request({ cookie: '_ea_=a1; _ea_=a1' }), ['cookie'])).username, 'a');
});

test('a cookie is accepted from our own pages, and from clients that are not browsers', async () => {
  const forbidden = (error: unknown) => error instanceof Fault && error.code === 'FORBIDDEN';
  const ask = async (headers: Record<string, string>) => authentication.require(request(headers, { _ea_: 'a1' }), ['cookie']);
  for (const own of [{}, { origin: 'https://here' }, { 'sec-fetch-site': 'same-origin' }, { origin: 'https://here', 'sec-fetch-site': 'none' }])
    assert.equal((await ask(own as Record<string, string>)).credential, 'cookie', JSON.stringify(own));
  for (const foreign of [
    { origin: 'https://there' },
    { origin: 'http://here' },
    { origin: 'null' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site' },
  ])
    await assert.rejects(ask(foreign as Record<string, string>), forbidden, JSON.stringify(foreign));
  // No browser adds another credential by itself.
  assert.equal((await authentication.require(request({ authorization: 'a1', origin: 'https://there' }), ['authorization'])).credential, 'authorization');
});

test('a kind of credential that the route does not accept is not checked', async () => {
  await assert.rejects(async () => authentication.require(request({ authorization: 'a1' }, { _ea_: 'a1' }), ['cookie']));
  assert.deepEqual(asked, []);
});

test('a cookie is found among others, percent signs are decoded, and two that differ are none', () => {
  for (const [header, value] of [
    [undefined, undefined],
    ['', undefined],
    ['_ea_', undefined],
    ['x_ea_=1; _ea_x=2', undefined],
    ['_ea_=', ''],
    ['a=1; _ea_=2', '2'],
    ['flag; _ea_=2', '2'],
    [' _ea_ = 2 ;b=3', '2'],
    ['_ea_=a=b', 'a=b'],
    ['_ea_=1; _ea_=2', null],
    ['_ea_=1; a=b; _ea_=', null],
    ['_ea_=; _ea_=2', null],
    ['_ea_=1; a=b; _ea_=1; flag', '1'],
    ['_ea_=A; _ea_=%41', 'A'],
    ['_ea_=1; x', '1'],
    ['_ea_=%41', 'A'],
    ['_ea_=%4', '%4'],
    ['a=_ea_=1', undefined],
  ] as const)
    assert.equal(cookieIn(header, '_ea_'), value, header);
});

test.run();
