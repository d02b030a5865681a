// [actors] processes: sign-in, identity providers, anonymization and documents are served from processes as from threads, and after these have been killed.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type IdentityProvider, startIdentityProvider } from '../identity-provider.ts';
import { people } from '../people.ts';
import { childrenOf } from '../processes.ts';
import { until } from '../runtime.ts';
import { signInAdmin, startServer, type TestServer } from '../server.ts';
import { docx, form } from './ai/files.ts';

const NAMES = ['identity', 'library', 'password', 'text', 'tokenize'];
const PASSWORD = 'a new password';

let server: TestServer;
let idp: IdentityProvider;
let cookie: string;
test.before(async () => {
  server = await startServer({ config: `[actors]\nprocesses = ${JSON.stringify(NAMES)}\n[tokenize]\ntime_limit_ms = 5000\n` });
  cookie = await signInAdmin(server, PASSWORD);
  idp = await startIdentityProvider(() => server.clock.now());
  const provider = { jwt_issuer_uri: idp.issuer, jwks_uri: idp.jwksUri, jwt_audience: 'gatehouse' };
  await people(server, cookie).realm('one', { auth_params: { jwt_params: { idp_params: [provider] } } });
});
test.after(async () => {
  await idp?.end();
  await server?.end();
});

const post = async (path: string, ...given: Parameters<typeof form>) => server.ask('POST', path, { cookie, ...(await form(...given)) });
const work: Readonly<Record<string, () => Promise<{ status: number; text: string }>>> = {
  password: () => server.ask('POST', '/login?realm=_', { user: `admin:${PASSWORD}` }),
  identity: async () => server.ask('POST', '/login?realm=one', { headers: { authorization: `Bearer ${await idp.token()}` } }),
  tokenize: () => server.ask('POST', '/tokenize/aggregate-number', { cookie, body: { data: 1234.567, data_type: 'float', power_of_ten: 2 } }),
  'text, library': async () =>
    post('/add_reference', { db: 'documents', reference: 'rules' }, { name: 'a.docx', bytes: await docx(['The gate closes at nine.']) }),
};

const pids = () => childrenOf(process.pid);
const restarts = () => NAMES.flatMap((name) => server.runtime.groups.get(name)?.supervisors ?? []).reduce((sum, each) => sum + each.restarts, 0);

for (const [names, run] of Object.entries(work))
  test(`${names}: served from a process`, async () => {
    const { status, text } = await run();
    assert.equal(status, 200, text);
  });

test('a wrong password is refused by a process as by a thread', async () => {
  const { status, body } = await server.ask('POST', '/login?realm=_', { user: 'admin:wrong' });
  assert.deepEqual([status, body.code], [401, 'AUTH_DENIED']);
});

test('all of them are killed: the server goes on, and they serve again', async () => {
  const before = pids();
  assert.ok(before.length >= NAMES.length, String(before));
  for (const pid of before) process.kill(pid, 'SIGKILL');
  await until(() => restarts() >= before.length, 'all losses are noticed');
  assert.equal((await server.ask('GET', '/whoami', { cookie })).status, 200);
  for (const [names, run] of Object.entries(work)) {
    const { status, text } = await run();
    assert.equal(status, 200, `${names}: ${text}`);
  }
  const answer = await post('/rag_predict', { db: 'documents', query: 'When does the gate close?' });
  assert.deepEqual(answer.body.result, ['The gate closes at nine.']);
  assert.deepEqual(
    pids().filter((pid) => before.includes(pid)),
    [],
  );
});

test.run();
