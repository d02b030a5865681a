// Several fronts: they answer alike and count together; one that dies ends its own connections only, and another takes its place.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'undici';
import { test } from 'uvu';
import { MAX_QUEUE } from '../../fakes/mortal.plugin.ts';
import { until } from '../../runtime.ts';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';

const FRONTS = 3;
const BURST = 16;
const PLUGIN = new URL('../../fakes/mortal.plugin.ts', import.meta.url).pathname;
const CONFIG = `[http]\nstuck_seconds = 3\n[[plugins]]\nmodule = "${PLUGIN}"\n`;
const ENV = {
  GATEHOUSE_HTTP_THREADS: String(FRONTS),
  GATEHOUSE_AUTH_LOGIN_RATE_BURST: String(BURST),
  GATEHOUSE_AUTH_LOGIN_RATE_PER_SECOND: '1',
};
const CONNECTIONS = 9;

let server: TestServer;
let ca: string;
const clients: Client[] = [];
test.before(async () => {
  server = await startServer({ config: CONFIG, env: { ...ENV } });
  ca = readFileSync(join(server.dataDir, 'tls', 'cert.pem'), 'utf8');
});
test.after.each(async () => {
  await Promise.all(clients.splice(0).map((client) => client.destroy()));
});
test.after(() => server.end());

/** A connection of its own, which the system gives to one of the fronts. */
function connect(): Client {
  const client = new Client(server.address, { connect: { ca }, keepAliveTimeout: 60_000, pipelining: 1 });
  clients.push(client);
  return client;
}

async function ask(client: Client, path: string, options: { readonly method?: 'GET' | 'POST'; readonly user?: string; readonly cookie?: string } = {}) {
  const { method = 'GET', user, cookie } = options;
  const headers = {
    ...(user === undefined ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` }),
    ...(cookie === undefined ? {} : { cookie: `_ea_=${cookie}` }),
  };
  const answer = await client.request({ path, method, headers });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

/** Connections until every front has some. @returns those of each front, by the ID of its thread */
async function connectToAll(): Promise<Map<string, Client[]>> {
  const byThread = new Map<string, Client[]>();
  for (let n = 0; n < CONNECTIONS || byThread.size < FRONTS; n += 1) {
    const client = connect();
    const { text } = await ask(client, '/thread');
    byThread.set(text, [...(byThread.get(text) ?? []), client]);
  }
  return byThread;
}

const restarts = () => server.fronts?.supervisors.reduce((sum, { restarts: own }) => sum + own, 0) ?? 0;
const allRun = () => server.fronts?.supervisors.every(({ state }) => state === 'running') ?? false;

/** Sums the values of a metric over its labels. */
function total(metrics: string, name: string, label = ''): number {
  const lines = metrics.split('\n').filter((line) => line.startsWith(`${name}{`) && line.includes(label));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

const COUNT = 'gatehouse_http_request_duration_seconds_count';

test('every front answers alike, and the metrics of any of them are those of all', async () => {
  const cookie = await signInAdmin(server);
  const byThread = await connectToAll();
  assert.equal(byThread.size, FRONTS);
  const before = total((await ask(connect(), '/metrics')).text, COUNT, 'route="/whoami"');
  const answers = new Map<string, Set<string>>();
  for (const [client] of byThread.values()) {
    for (const path of ['/whoami', '/ready', '/health', '/openapi.yaml', '/version', '/metrics/nothing', '/server-info']) {
      const { status, text } = await ask(client as Client, path, { cookie });
      const plain = text.replace(/"request_id":"[^"]+"/, '');
      answers.set(path, (answers.get(path) ?? new Set()).add(`${status} ${plain}`));
    }
  }
  for (const [path, different] of answers) assert.equal(different.size, 1, `${path}: ${[...different].map((text) => text.slice(0, 200)).join('\n')}`);
  for (const [client] of byThread.values()) {
    const { text } = await ask(client as Client, '/metrics');
    assert.equal(total(text, COUNT, 'route="/whoami"') - before, FRONTS);
    assert.equal(text.split('\n').filter((line) => line.startsWith('gatehouse_process_cpu_seconds_total ')).length, 1);
    assert.ok(total(text, 'gatehouse_actor_beside_calls_total', 'actor="session",outcome="answered"') >= FRONTS);
  }
});

test('an address has its sign-ins once over all fronts, and not anew when one of them dies', async () => {
  await server.runtime.advance(60_000);
  const since = server.clock.monotonic();
  const attempts = async () => {
    const tries = Array.from({ length: 2 * BURST }, async () => (await ask(connect(), '/login?realm=_', { method: 'POST', user: 'nobody:wrong' })).status);
    return (await Promise.all(tries)).filter((status) => status !== 429).length;
  };
  const first = await attempts();
  const crashes = restarts();
  await server.fronts?.supervisors[0]?.incarnation?.kill();
  await until(() => restarts() > crashes && allRun(), 'another has taken its place');
  const admitted = first + (await attempts());
  // One more attempt for each second.
  const most = BURST + Math.ceil((server.clock.monotonic() - since) / 1_000);
  assert.ok(first >= BURST && admitted <= most, `${first}, then ${admitted} in all, of ${most}`);
});

test('an actor has one queue for all fronts: its bound and its calls at once are those of one', async () => {
  const byThread = await connectToAll();
  const work = [...byThread.values()].flat().flatMap((client) => [client, client]);
  const answers = await Promise.all(work.map(async (client, at) => ask(at % 2 === 0 ? client : connect(), '/work')));
  const served = answers.filter(({ status }) => status === 200);
  // Some were served before the last ones came.
  assert.ok(served.length >= MAX_QUEUE && served.length < answers.length, `${served.length} of ${answers.length}`);
  assert.deepEqual([...new Set(served.map(({ text }) => text))], ['1']);
  assert.ok(answers.every(({ status, text }) => status === 200 || (status === 503 && text.includes('OVERLOADED'))));
  // Every front still gets its turn.
  for (const [client] of byThread.values()) assert.equal((await ask(client as Client, '/work')).status, 200);
});

for (const how of ['/throw', '/exhaust', '/loop']) {
  test(`a front that dies (${how}) ends its own connections only, and another takes its place`, async () => {
    const byThread = await connectToAll();
    const before = (await ask(connect(), '/metrics')).text;
    const [[doomed, own], ...others] = [...byThread] as [[string, Client[]], ...[string, Client[]][]];
    const crashes = restarts();
    const deaths = own.map(async (client) => (await Promise.allSettled([ask(client, '/slow')]))[0]?.status);
    const served = others.flatMap(([thread, theirs]) => theirs.map(async (client) => (await ask(client, '/slow')).text === thread));
    await assert.rejects(ask(await connectTo(doomed), how));
    assert.deepEqual([...new Set(await Promise.all(served))], [true]);
    assert.deepEqual([...new Set(await Promise.all(deaths))], ['rejected']);
    await until(() => restarts() === crashes + 1 && allRun(), 'another has taken its place', 20_000);
    await until(async () => !(await connectToAll()).has(doomed), 'new connections reach the new one');
    const { text } = await ask(connect(), '/metrics');
    for (const route of ['route="/thread"', 'route="/whoami"']) assert.ok(total(text, COUNT, route) >= total(before, COUNT, route), route);
    assert.match(text, /gatehouse_front_state\{front="1",state="running"\} 1/);
    assert.ok(server.lines.some(({ msg, actor }) => msg === 'actor lost' && actor === 'front'));
    const ended = total(text, 'gatehouse_front_stuck_total') - total(before, 'gatehouse_front_stuck_total');
    // One that fills its heap may collect garbage for so long that it is stuck as well.
    if (how !== '/exhaust') assert.equal(ended, how === '/loop' ? 1 : 0);
    assert.equal(server.lines.filter(({ msg }) => String(msg).startsWith('a front is stuck')).length, total(text, 'gatehouse_front_stuck_total'));
  });
}

async function connectTo(thread: string): Promise<Client> {
  for (;;) {
    const client = connect();
    if ((await ask(client, '/thread')).text === thread) return client;
  }
}

test('a front that is replaced answers its running requests first', async () => {
  const byThread = await connectToAll();
  const slow = [...byThread.values()].flat().map(async (client) => (await ask(client, '/slow')).status);
  await new Promise((resolve) => setTimeout(resolve, 200));
  await server.fronts?.replace(2);
  assert.deepEqual([...new Set(await Promise.all(slow))], [200]);
  await until(allRun, 'it runs again');
  assert.equal((await connectToAll()).size, FRONTS);
});

test('a port that another program uses stops the start', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  await assert.rejects(
    startServer({ config: CONFIG, env: { ...ENV }, argv: ['--port', String(port)] }),
    /http: cannot listen on 127\.0\.0\.1 port \d+ \(EADDRINUSE\)/,
  );
  other.close();
});

test.run();
