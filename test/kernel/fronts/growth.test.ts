// Fronts that come when the server is busy: when one starts, that it serves, counts and ends like the first, and that it stays.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Client } from 'undici';
import { test } from 'uvu';
import type { Load } from '../../../kernel/fronts/growth.ts';
import { until } from '../../runtime.ts';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import { signInAdmin } from '../../server.ts';

const BURST = 16;
const PLUGIN = new URL('../../fakes/mortal.plugin.ts', import.meta.url).pathname;
const KMIP = '[keys.kmip_listener]\nenabled = true\nport = 0\n';
const ENV = { GATEHOUSE_HTTP_THREADS: '0', GATEHOUSE_AUTH_LOGIN_RATE_BURST: String(BURST), GATEHOUSE_AUTH_LOGIN_RATE_PER_SECOND: '1' };
const CORES = 2;
const BUSY: Load = { fronts: 0.99, free: 0.9, left: 0.98 };
const LOOK_MS = 1_000;
const LOOKS = 3;
/** A thread starts in one second, and in many where other work has the cores. */
const START_MS = 60_000;

let server: SecureServer;
const IDLE: Load = { fronts: 0, free: CORES, left: CORES };
let load = IDLE;
const clients: Client[] = [];
test.before(async () => {
  const growth = { cores: CORES, load: async () => load };
  server = await startSecureServer({ config: `${KMIP}[[plugins]]\nmodule = "${PLUGIN}"\n`, env: { ...ENV }, growth });
});
test.after.each(async () => {
  await Promise.all(clients.splice(0).map((client) => client.destroy()));
});
test.after(() => server.end());

function connect(): Client {
  const client = new Client(server.address, { connect: { ca: server.authority.cert }, keepAliveTimeout: 60_000, pipelining: 1 });
  clients.push(client);
  return client;
}

async function ask(client: Client, path: string, user?: string) {
  const headers = user === undefined ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` };
  const answer = await client.request({ path, method: user === undefined ? 'GET' : 'POST', headers });
  return { status: answer.statusCode, text: await answer.body.text(), isLast: answer.headers['connection'] === 'close' };
}

/** Lets the server look at its load so many times. */
async function look(now: Load, times = 1): Promise<void> {
  load = now;
  for (let n = 0; n < times; n += 1) await server.runtime.advance(LOOK_MS);
}

const further = () => server.fronts?.supervisors ?? [];

/** Threads that serve new connections. */
async function threadsOf(connections: number): Promise<Set<string>> {
  const threads = new Set<string>();
  for (let n = 0; n < connections; n += 1) threads.add((await ask(connect(), '/thread')).text);
  return threads;
}

/** How many sockets of this machine listen on a port. */
function listening(port: number): number {
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return lines.filter((line) => line.trim().split(/\s+/)[1]?.endsWith(ending) && line.trim().split(/\s+/)[3] === '0A').length;
}

const metricsOf = async () => (await ask(connect(), '/metrics')).text;
const served = (metrics: string) => Number(/gatehouse_http_request_duration_seconds_count\{[^}]*route="\/thread"[^}]*\} (\d+)/.exec(metrics)?.[1] ?? 0);

test('one front serves while the load is short, the cores are in use or the actors are busy too', async () => {
  await signInAdmin(server);
  await look({ fronts: 0.1, free: 1.9, left: 1.9 }, LOOKS + 1);
  await look(BUSY, LOOKS - 1);
  await look({ fronts: 0.3, free: 1.6, left: 1.6 });
  await look(BUSY, LOOKS - 1);
  await look({ fronts: 0.3, free: 1.6, left: 1.6 });
  await look({ ...BUSY, free: 0.3 }, LOOKS + 1);
  await look({ ...BUSY, left: 0.7 }, LOOKS + 1);
  await look(BUSY, LOOKS - 1);
  await look({ ...BUSY, left: 0.7 });
  await look(BUSY, LOOKS - 1);
  await look(IDLE);
  assert.deepEqual(further(), []);
  assert.equal((await threadsOf(6)).size, 1);
  assert.doesNotMatch(await metricsOf(), /^gatehouse_front_state\{/m);
});

test('after three busy looks one more front opens all ports, and gets its part of new and old connections', async () => {
  const [https, kmip] = [
    Number(new URL(server.address).port),
    Number(/:(\d+)$/.exec(String(server.announcements.find((text) => /listener on/.test(text))))?.[1]),
  ];
  assert.deepEqual([listening(https), listening(kmip)], [1, 1]);
  const old = connect();
  const { text: first, isLast } = await ask(old, '/thread');
  assert.equal(isLast, false);
  const before = served(await metricsOf());
  await look(BUSY, LOOKS);
  await until(() => further().length === 1, 'one more serves', START_MS);
  assert.deepEqual([listening(https), listening(kmip)], [2, 2]);
  // Of the connections from before, each is ended with its next answer; the new ones go on.
  const renewed = await ask(old, '/thread');
  assert.deepEqual([renewed.text, renewed.isLast], [first, true]);
  assert.equal((await ask(old, '/ready')).status, 200);
  const fresh = connect();
  for (let n = 0; n < 3; n += 1) assert.equal((await ask(fresh, '/thread')).isLast, false);
  await until(async () => (await threadsOf(4)).size === 2, 'both serve', START_MS);
  const expected = before + 4;
  const metrics = await metricsOf();
  assert.ok(served(metrics) >= expected + 4, `${served(metrics)} of ${expected + 4}`);
  assert.match(metrics, /gatehouse_front_state\{front="1",state="running"\} 1/);
  assert.equal(metrics.split('\n').filter((line) => line.startsWith('gatehouse_process_cpu_seconds_total ')).length, 1);
  assert.equal(server.lines.filter(({ msg }) => /one more serves requests/.test(String(msg))).length, 1);
});

test('both count the sign-ins of an address together', async () => {
  await server.runtime.advance(60_000);
  const since = server.clock.monotonic();
  const tries = Array.from({ length: 2 * BURST }, async () => (await ask(connect(), '/login?realm=_', 'nobody:wrong')).status);
  const admitted = (await Promise.all(tries)).filter((status) => status !== 429).length;
  const most = BURST + Math.ceil((server.clock.monotonic() - since) / 1_000);
  assert.ok(admitted >= BURST && admitted <= most, `${admitted} of ${most}`);
});

test('it stays when the load is gone, and no other comes than there are cores', async () => {
  await look(IDLE, 2 * LOOKS);
  await look(BUSY, 20);
  assert.deepEqual(
    further().map(({ state }) => state),
    ['running'],
  );
});

test('if it dies, the connections of the first front go on, /ready names it, and another takes its place', async () => {
  const [own, others] = [await connectTo(IN_MAIN), await connectTo(IN_THREAD)];
  const slow = ask(own, '/slow');
  await assert.rejects(ask(others, '/throw'));
  await until(() => further()[0]?.restarts === 1, 'it is lost', START_MS);
  assert.match((await ask(await connectTo(IN_MAIN), '/ready')).text, /front\/1: (waiting|starting)|^\{"ready":true/);
  assert.equal((await slow).status, 200);
  await until(async () => further()[0]?.state === 'running' && (await threadsOf(4)).size === 2, 'another serves', START_MS);
  assert.equal((await ask(connect(), '/ready')).status, 200);
  assert.equal(further().length, 1);
});

/** The main thread has the number 0. */
const IN_MAIN = (thread: string) => thread === '0';
const IN_THREAD = (thread: string) => thread !== '0';

async function connectTo(isRight: (thread: string) => boolean): Promise<Client> {
  for (;;) {
    const client = connect();
    if (isRight((await ask(client, '/thread')).text)) return client;
  }
}

test.run();
