// JWTs of the identity providers in [[ai.auth]]: credentials of the AI runner and of no other route, with roles if the provider tells them.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { parse } from 'yaml';
import { type IdentityProvider, startIdentityProvider } from '../../identity-provider.ts';
import { type Answer, signInAdmin, startServer, type TestServer } from '../../server.ts';
import { docx, form } from './files.ts';

let server: TestServer;
let admin: string;
/** `corp` tells roles, `plain` does not; the key server knows `keys`, and `corp` for another audience. */
let idps: Readonly<Record<'corp' | 'plain' | 'keys', IdentityProvider>>;
const table = (section: string, name: string, { issuer, jwksUri }: IdentityProvider, more = '', audience = 'gatehouse') =>
  `[[${section}]]\nname = "${name}"\nissuer = "${issuer}"\njwks_uri = "${jwksUri}"\naudience = "${audience}"\n${more}`;
const BASES = '[[ai.documentary_bases]]\nname = "open"\n[[ai.documentary_bases]]\nname = "staff"\nreaders = ["staff"]\nwriters = ["staff"]\n';

test.before(async () => {
  const start = (name: string) => startIdentityProvider(() => Date.now(), `https://${name}.example`);
  const [corp, plain, keys] = [await start('corp'), await start('plain'), await start('keys')];
  idps = { corp, plain, keys };
  const ai = table('ai.auth', 'corp', corp, 'roles_claim = "groups"\n', 'ai') + table('ai.auth', 'plain', plain);
  server = await startServer({ config: ai + BASES + table('keys.identity_providers', 'corp', corp) + table('keys.identity_providers', 'keys', keys) });
  admin = await signInAdmin(server);
});
test.after(() => Promise.all([server?.end(), ...Object.values(idps ?? {}).map((idp) => idp.end())]).then(() => {}));

type Claims = Readonly<Record<string, unknown>>;
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const corp = async (claims: Claims = {}, header?: Record<string, unknown>) => bearer(await idps.corp.token({ aud: 'ai', ...claims }, header));
const bases = async (options: Parameters<TestServer['ask']>[2]) => {
  const { status, body } = await server.ask('GET', '/documentary_bases', options);
  return status === 200 ? Object.keys(body.documentary_bases) : status;
};
type Operation = { readonly tags?: readonly string[]; readonly security?: readonly Readonly<Record<string, unknown>>[] };

test('a token opens the routes of the AI runner; roles come from the claim that the configuration names', async () => {
  assert.deepEqual(await bases(await corp()), ['open']);
  for (const groups of [['staff', 7], 'staff']) assert.deepEqual(await bases(await corp({ groups })), ['open', 'staff']);
  for (const claims of [{ roles: ['staff'] }, { groups: 'other staff' }, { groups: { staff: true } }, { groups: ['*'] }])
    assert.deepEqual(await bases(await corp(claims)), ['open']);
  assert.deepEqual(await bases(bearer(await idps.plain.token({ roles: ['staff'], groups: ['staff'], '': ['staff'] }))), ['open']);
  const staff = await corp({ groups: ['staff'], email: 'ada@corp.example', email_verified: true });
  const send = async (method: 'POST' | 'DELETE', path: string, ...given: Parameters<typeof form>) => {
    const { headers, body } = await form(...given);
    return server.ask(method, path, { body, headers: { ...headers, ...staff.headers } });
  };
  const file = { name: 'a.docx', bytes: await docx(['The safe opens at noon.']) };
  assert.equal((await send('POST', '/add_reference', { db: 'staff', reference: 'safe' }, file)).status, 200);
  assert.deepEqual((await send('POST', '/rag_predict', { db: 'staff', query: 'When does the safe open?' })).body, { result: ['The safe opens at noon.'] });
  assert.equal((await send('POST', '/summarize', { doc: 'One sentence.' })).status, 200);
  assert.equal((await server.ask('GET', '/models', staff)).status, 200);
  const { body } = await server.ask('GET', '/audit?event=reference.add', { cookie: admin });
  assert.match(JSON.stringify(body), /"jwt:ai:corp\/ada@corp\.example"/);
});

test('no other route accepts it', async () => {
  const document = parse((await server.ask('GET', '/openapi.yaml')).text);
  const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase() as 'GET', ...operation })),
  );
  const others = operations.filter(
    ({ tags = [], security = [] }) => !tags.includes('AI runner') && security.length > 0 && !security.some((each) => Object.keys(each).length === 0),
  );
  assert.ok(others.length > 80, `${others.length} routes`);
  const token = await corp({ groups: ['staff'], roles: ['super_admin'], policies: ['default'] });
  for (const { path, method } of others) {
    const asked = (options: typeof token) => server.ask(method, path.replaceAll(/\{[^}]+\}/g, 'x'), options);
    const [{ status, body }, nonsense] = [await asked(token), await asked(bearer('a.b.c'))];
    assert.deepEqual([status, body?.code], [nonsense.status, nonsense.body?.code], `${method} ${path}`);
    // Routes that check credentials of their own are the sign-in.
    assert.ok(status === 401 || status === 403 || (status === 400 && /login$/.test(path)), `${method} ${path}: ${status}`);
  }
});

test('every refused token has the same answer, and nothing falls through to the next credential', async () => {
  const alike = ({ status, headers, body }: Answer) => ({ status, challenge: headers['www-authenticate'], body: { ...body, request_id: undefined } });
  const seconds = Math.floor(Date.now() / 1_000);
  const [valid, foreign] = [(await corp()).headers.authorization.slice(7), await startIdentityProvider(() => Date.now(), 'https://corp.example')];
  const [head = '', payload = '', signature = ''] = valid.split('.');
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  const refused = [
    ...[await corp({ aud: 'gatehouse-2' }), await corp({ aud: undefined }), await corp({ iss: 'https://plain.example' }), await corp({ iss: undefined })],
    ...[
      await corp({ exp: seconds - 1 }),
      await corp({ exp: undefined }),
      await corp({ nbf: seconds + 60 }),
      await corp({ sub: undefined }),
      await corp({ sub: 'a\u0000' }),
    ],
    ...[await corp({}, { kid: 'other' }), await corp({}, { kid: undefined }), bearer(await foreign.token({ aud: 'ai' }))],
    ...[
      bearer(`${head}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`),
      bearer(`${none}.${payload}.`),
      bearer(`${none}.${payload}.AA`),
    ],
    ...[bearer(valid.slice(0, -9)), bearer('nonsense'), bearer(''), { headers: { authorization: `Basic ${valid}` } }],
  ];
  await foreign.end();
  const expected = alike(await server.ask('GET', '/documentary_bases', bearer('A'.repeat(43))));
  assert.equal(expected.status, 401);
  for (const [index, options] of refused.entries())
    for (const more of [{}, { cookie: admin }])
      assert.deepEqual(alike(await server.ask('GET', '/documentary_bases', { ...options, ...more })), expected, `token ${index}`);
});

test('other credentials go on: sessions, and JWTs of the providers of the key server, which open that too', async () => {
  assert.deepEqual(await bases({ cookie: admin }), ['open']);
  for (const idp of [idps.keys, idps.corp]) {
    const token = bearer(await idp.token({ groups: ['staff'] }));
    assert.deepEqual([await bases(token), (await server.ask('GET', '/server-info', token)).status], [['open'], 200]);
  }
  // For both audiences the more special one decides: there the token has roles.
  assert.deepEqual(await bases(await corp({ aud: ['gatehouse', 'ai'], groups: ['staff'] })), ['open', 'staff']);
});

test('providers that cannot work are told at the start: beside open, twice, at a wrong address', async () => {
  const start = (config: string) => startServer({ config }).then((started) => started.end());
  await assert.rejects(start(`[ai]\nopen = true\n${table('ai.auth', 'corp', idps.corp)}`), /ai\.auth: has no effect with open/);
  await assert.rejects(start(table('ai.auth', 'a', idps.corp) + table('ai.auth', 'b', idps.corp)), /ai\.auth\[1\]\.issuer: another provider/);
  await assert.rejects(start(table('ai.auth', 'a', { ...idps.corp, jwksUri: 'http://idp.example/jwks' })), /ai\.auth\[0\]\.jwks_uri: must be an https/);
});

test.run();
