// What one request may cost: lengths are bounded before the work whose cost grows faster than they do, on every route.
import assert from 'node:assert/strict';
import { connect } from 'node:tls';
import { test } from 'uvu';
import { filled, nameOf, type RoutedServer, startRoutedServer } from '../contract/route-table.ts';
import { signInAdmin } from '../server.ts';

/** Combining marks in the one order that normalisation has to turn round: it sorts them in a time that grows with the square of their number. */
const marks = (count: number) => '\u0315'.repeat(count / 2) + '\u0316'.repeat(count / 2);
/** A request of these stalls the server for less than this, milliseconds, with room for a machine that is busy with other tests. */
const MAX_STALL_MS = 400;

let server: RoutedServer;
let cookie: string;
test.before(async () => {
  server = await startRoutedServer();
  cookie = await signInAdmin(server);
  assert.equal((await server.ask('POST', '/admins/realms', { cookie, body: { id: 'r1', auth_params: {} } })).status, 201);
});
test.after(() => server?.end());

/** The longest that the thread which serves every route was busy with something else while `work` ran, milliseconds. */
async function stall(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let before = performance.now();
  // The server runs in this process, on this thread.
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - before);
    before = now;
  }, 1);
  await work();
  await new Promise((resolve) => setTimeout(resolve, 20));
  clearInterval(timer);
  return longest;
}

const ATTACKS: Readonly<Record<string, () => Promise<{ readonly status: number }>>> = {
  'a new password at the sign-in': () => server.ask('POST', '/login?realm=r1', { user: 'nobody:password', body: { new_password: marks(120_000) } }),
  'a user name and password in the header': () => server.ask('POST', '/login?realm=r1', { user: `${marks(2_500)}:${marks(2_500)}` }),
  'the password of a new credential': () =>
    server.ask('POST', '/realms/r1/userpass', { cookie, body: { username: 'a', password_input: { plaintext: marks(120_000) } } }),
  'the name of a new credential': () =>
    server.ask('POST', '/realms/r1/userpass', { cookie, body: { username: marks(120_000), password_input: { plaintext: 'a password' } } }),
  'the id of an admin': () => server.ask('POST', '/admins', { cookie, body: { id: marks(120_000), realms: ['_'] } }),
  'the name of a client of sessions': () =>
    server.ask('POST', '/sessions/realms/r1/clients', { cookie, body: [{ username: marks(120_000), auth_scheme: 'up' }] }),
  'as many names of clients as fit': () =>
    server.ask('POST', '/sessions/realms/r1/clients', {
      cookie,
      body: Array.from({ length: 400 }, () => ({ username: marks(1_000), auth_scheme: 'up' })),
    }),
  'whom a second factor is for': () => server.ask('POST', '/realms/r1/totp/generate', { cookie, body: { username: marks(120_000) } }),
  'whom a key is granted to': () =>
    server.ask('POST', '/access/grant', { cookie, body: { unique_identifier: 'x', user_id: marks(120_000), operation_types: ['get'] } }),
  'a user name in the path': () => server.ask('GET', `/realms/r1/userpass/${encodeURIComponent(marks(1_200))}`, { cookie }),
  'a public key that begins again and again': () => server.ask('POST', '/certify', { cookie, body: { verification_key: '-----BEGIN a-----'.repeat(481) } }),
};

for (const [what, attack] of Object.entries(ATTACKS)) {
  test(`${what}: refused, and nobody waits for it`, async () => {
    let status = 0;
    const longest = await stall(async () => {
      ({ status } = await attack());
    });
    assert.ok(status >= 400 && status < 500, `${status}`);
    assert.ok(longest < MAX_STALL_MS, `the server stood still for ${longest.toFixed(0)} ms`);
  });
}

const NAMES: Readonly<Record<string, string>> = {
  realm_id: 'r1',
  admin_id: 'admin',
  username: 'ann',
  name: 'role',
  session_id: 'none',
  kid: 'none',
  object_id: 'none',
};

/** Who shows no app token there is refused before the body is read. */
const isOfTokens = (path: string): boolean => /\/auth\/token\//.test(path);

for (const [what, text] of Object.entries({
  '6000 brackets': '['.repeat(6_000),
  '6000 brackets that close': '['.repeat(6_000) + ']'.repeat(6_000),
  'members inside members, 6000 deep': `${'{"a":'.repeat(6_000)}1${'}'.repeat(6_000)}`,
  'a known member 6000 deep': `{"extra_claims":${'{"a":'.repeat(6_000)}1${'}'.repeat(6_000)},"digital_credentials":${'['.repeat(6_000)}${']'.repeat(6_000)}}`,
})) {
  test(`a body of ${what} is refused as what it is on every route that takes one`, async () => {
    const before = server.lines.length;
    const routes = server.routes.filter(({ body }) => body);
    assert.ok(routes.length > 40);
    for (const route of routes) {
      // A session of another realm, and a sign-in without a credential, are refused before the body is read.
      const path = `${filled(route.path, (name) => NAMES[name] ?? 'x')}?realm=${route.path === '/certify' ? '_' : 'r1'}`;
      const user = route.path === '/login' ? { user: 'nobody:nothing' } : {};
      const { status, text: answer } = await server.ask(route.method, path, { cookie, body: text, ...user });
      // A message of KMIP that cannot be read is answered by one that says so.
      const refused = status === 200 ? answer.includes('InvalidMessage') : [400, 422, ...(isOfTokens(route.path) ? [403] : [])].includes(status);
      assert.ok(refused, `${nameOf(route)}: ${status} ${answer}`);
    }
    assert.deepEqual(
      server.lines.slice(before).filter(({ level }) => level === 'error'),
      [],
    );
  });
}

test('so is a message in XML or in TTLV', async () => {
  const structure = (content: Buffer) => {
    const header = Buffer.from([0x42, 0x00, 0x78, 0x01, 0, 0, 0, 0]);
    header.writeUInt32BE(content.length, 4);
    return Buffer.concat([header, content]);
  };
  let nested = Buffer.alloc(0);
  for (let depth = 0; depth < 2_000; depth++) nested = structure(nested);
  for (const [type, body] of [
    ['text/xml', `${'<RequestMessage>'.repeat(6_000)}${'</RequestMessage>'.repeat(6_000)}`],
    ['text/xml', '<RequestMessage>'.repeat(6_000)],
    ['application/octet-stream', nested.toString('latin1')],
  ] as const) {
    const before = server.lines.length;
    const { status, text } = await server.ask('POST', '/kmip', { cookie, body, headers: { 'content-type': type } });
    assert.ok(status === 200 && (type === 'application/octet-stream' || text.includes('InvalidMessage')), `${type}: ${status} ${text}`);
    assert.ok(!server.lines.slice(before).some(({ level }) => level === 'error'));
  }
});

/** Sends the beginning of a request, and never its body. @returns the status, or that none came */
function answerWithoutBody(method: string, path: string, headers: readonly string[] = []): Promise<number | 'none'> {
  const { hostname, port } = new URL(server.address);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      const lines = [`${method} ${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', 'Content-Length: 1000', ...headers, '', '{"a":'];
      socket.write(lines.join('\r\n'));
    });
    const timer = setTimeout(() => end('none'), 2_000);
    const end = (status: number | 'none') => {
      clearTimeout(timer);
      socket.destroy();
      resolve(status);
    };
    socket.once('data', (data) => end(Number(String(data).split(' ')[1])));
    socket.once('error', () => end('none'));
  });
}

test('who shows no token is refused before the body has arrived', async () => {
  for (const action of ['renew', 'revoke']) {
    assert.equal(await answerWithoutBody('POST', `/auth/token/${action}-self`), 403, action);
    assert.equal(await answerWithoutBody('POST', `/auth/token/${action}-self`, [`X-App-Token: hvs.${'a'.repeat(43)}`]), 403, `${action} with one that is none`);
  }
});

test('numbers of an RSA key that are too long are refused before anything is computed of them', async () => {
  const long = Buffer.alloc(3_000_000, 0xa5).toString('base64url');
  const usual = Buffer.alloc(256, 0xff).toString('base64url');
  const small = Buffer.from([1, 0, 1]).toString('base64url');
  const members = { kty: 'RSA', alg: 'RS256', n: usual, e: small, d: usual, p: usual, q: usual, dp: usual, dq: usual, qi: usual };
  for (const name of ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi']) {
    const startedAt = performance.now();
    const { status, body } = await server.ask('POST', '/v1/crypto/keys', { cookie, body: { ...members, [name]: long, ...(name === 'p' ? { q: long } : {}) } });
    assert.deepEqual([status, body.error], [400, 'bad_request'], name);
    assert.match(body.description, / has more than \d+ /, name);
    assert.ok(performance.now() - startedAt < 1_000, `${name} took ${(performance.now() - startedAt).toFixed(0)} ms`);
  }
});

test('the transparent numbers of an RSA key neither', async () => {
  const number = (bytes: number) => `0x${'5'.repeat(bytes * 2 - 1)}7`;
  const register = (members: Readonly<Record<string, string>>) => ({
    tag: 'Register',
    value: [
      { tag: 'ObjectType', type: 'Enumeration', value: 'PrivateKey' },
      { tag: 'Attributes', value: [{ tag: 'CryptographicUsageMask', type: 'Integer', value: 1 }] },
      {
        tag: 'PrivateKey',
        value: [
          {
            tag: 'KeyBlock',
            value: [
              { tag: 'KeyFormatType', type: 'Enumeration', value: 'TransparentRSAPrivateKey' },
              {
                tag: 'KeyValue',
                value: [{ tag: 'KeyMaterial', value: Object.entries(members).map(([tag, value]) => ({ tag, type: 'BigInteger', value })) }],
              },
              { tag: 'CryptographicAlgorithm', type: 'Enumeration', value: 'RSA' },
              { tag: 'CryptographicLength', type: 'Integer', value: 2048 },
            ],
          },
        ],
      },
    ],
  });
  for (const members of [
    { Modulus: number(2_048), PublicExponent: number(2_048), PrimeExponentP: number(2_048), PrimeExponentQ: number(2_048) },
    { Modulus: number(2_048), PublicExponent: number(2_000), PrivateExponent: number(2_040) },
    { Modulus: number(2_048), PublicExponent: '0x10001', PrivateExponent: number(2_040) },
    { Modulus: number(512), PublicExponent: '0x10001', PrivateExponent: number(512) },
    { Modulus: number(256), P: number(4_000_000) },
  ]) {
    const startedAt = performance.now();
    const { status, body } = await server.ask('POST', '/kmip/2_1', { cookie, body: register(members as unknown as Record<string, string>) });
    assert.equal(status, 422);
    assert.match(body.message, /KeyMaterial/);
    assert.ok(performance.now() - startedAt < 5_000, `${Object.keys(members)} took ${(performance.now() - startedAt).toFixed(0)} ms`);
  }
});

test.run();
