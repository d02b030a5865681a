// A server that drains: /ready says that it stops, requests are served, every connection ends with its answer, and the stop comes when the time is over.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { test } from 'uvu';
import { REQUESTS_MS } from '../../../kernel/fronts/ports.ts';
import { until } from '../../runtime.ts';
import { type Ask, asker, signInAdmin, startServer, type TestServer } from '../../server.ts';

const DRAIN_SECONDS = 30;
const TOLD_MS = 30_000;
const CONFIG = `[http]\ndrain_seconds = ${DRAIN_SECONDS}\n`;

/** Each with a connection of its own, which a client keeps. */
function askers({ address, dataDir }: TestServer, count: number): { asks: Ask[]; close(): Promise<unknown> } {
  const ca = readFileSync(join(dataDir, 'tls', 'cert.pem'), 'utf8');
  const agents = Array.from({ length: count }, () => new Agent({ connect: { ca }, connections: 1 }));
  return { asks: agents.map((agent) => asker(address, agent)), close: () => Promise.all(agents.map((agent) => agent.destroy())) };
}

async function move({ clock }: TestServer, seconds: number): Promise<void> {
  Atomics.add(clock.offset, 0, BigInt(seconds * 1_000));
  await clock.fireDue();
}

for (const threads of ['1', '2'])
  test(`requests are served while a server of ${threads} threads drains, and /ready says that it stops`, async () => {
    const server = await startServer({ config: CONFIG, env: { GATEHOUSE_HTTP_THREADS: threads } });
    const clients = askers(server, 4);
    for (const ask of clients.asks) assert.equal((await ask('GET', '/health')).headers['connection'], 'keep-alive');
    let hasStopped = false;
    const stopped = server.stop().then(() => {
      hasStopped = true;
    });
    await until(async () => (await server.ask('GET', '/ready')).status === 503, '/ready says that it stops', TOLD_MS);
    assert.deepEqual((await server.ask('GET', '/ready')).body, { status: 'NOT_READY', not_ready: ['server: stopping'] });
    assert.equal((await server.ask('GET', '/ready?while_stopping=404')).status, 404);
    for (const ask of clients.asks) {
      const { status, headers } = await ask('GET', '/health');
      assert.deepEqual([status, headers['connection']], [200, 'close']);
    }
    await move(server, DRAIN_SECONDS - 1);
    assert.deepEqual([(await server.ask('GET', '/health')).status, hasStopped], [200, false]);
    await move(server, 1);
    await stopped;
    await assert.rejects(server.ask('GET', '/health'));
    await clients.close();
    await server.end();
  });

test('a load balancer is told of a stop only by a server that stops and is otherwise well', async () => {
  const server = await startServer({ config: CONFIG });
  const asked = () => server.ask('GET', '/ready?while_stopping=404');
  assert.equal((await asked()).status, 200);
  const stopped = server.stop();
  assert.equal((await asked()).status, 404);
  await server.runtime.stop();
  assert.equal((await asked()).status, 503);
  await move(server, DRAIN_SECONDS);
  await stopped;
  await server.end();
});

test('by default the stop begins at once', async () => {
  const server = await startServer();
  await server.stop();
  await assert.rejects(server.ask('GET', '/health'));
  await server.end();
});

test('a stop does not wait for requests whose clients have left', async () => {
  const server = await startServer({ env: { GATEHOUSE_HTTP_THREADS: '1' } });
  const { address, dataDir } = server;
  const cookie = await signInAdmin(server);
  const client = new Agent({ connect: { ca: readFileSync(join(dataDir, 'tls', 'cert.pem'), 'utf8') } });
  const headers = { accept: 'text/event-stream', cookie: `_ea_=${cookie}` };
  const view = await request(`${address}/operations/status`, { dispatcher: client, headers });
  view.body.on('error', () => {});
  await client.destroy();
  let hasStopped = false;
  const stopped = server.stop().then(() => {
    hasStopped = true;
  });
  await until(() => hasStopped, 'the stop, before the time that requests get', REQUESTS_MS - 1_000);
  await stopped;
  await server.end();
});

test.run();
