// Connections of a server: where there are too many, whoever has most of them loses its oldest, and nobody else.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { test } from 'uvu';
import { type Connections, connectionLedgers, watchConnections } from '../../../kernel/http/connection/connections.ts';
import { Bell } from '../../../kernel/shared/bell.ts';
import { Regions } from '../../../kernel/shared/region.ts';
import { until } from '../../runtime.ts';

/** With this limit of open files there may be 256 connections. */
const LIMIT = 512;
const MOST = 256;

let server: Server;
let connections: Connections;
let port: number;
const accepted: Socket[] = [];
test.before.each(async () => {
  server = createServer((socket) => accepted.push(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  const regions = new Regions(1);
  connections = watchConnections(server as never, connectionLedgers(regions, new Bell(regions), 'test', 1, LIMIT));
  await once(server, 'listening');
  ({ port } = server.address() as { port: number });
});
test.after.each(() => {
  connections.destroyAll();
  server.close();
  accepted.length = 0;
});

async function open(count: number, localAddress: string): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => dial({ port, host: '127.0.0.1', localAddress }).on('error', () => {}));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  return sockets;
}
const closed = (sockets: readonly Socket[]) => sockets.filter(({ destroyed, readableEnded }) => destroyed || readableEnded).length;

test('a client that opens too many connections loses its own, not those of others', async () => {
  const honest = await open(5, '127.0.0.1');
  const many = await open(MOST - 5, '127.0.0.2');
  const newcomer = await open(3, '127.0.0.3');
  const more = await open(20, '127.0.0.2');
  for (const socket of [...honest, ...newcomer, ...many, ...more]) socket.resume();
  await until(() => closed([...many, ...more]) === 23, `those of the largest were closed (${closed([...many, ...more])})`);
  assert.equal(closed(honest) + closed(newcomer), 0);
  assert.equal(closed(many.slice(0, 23)), 23);
});

test('a client certificate counts for its connections, wherever they come from', async () => {
  const quiet = await open(50, '127.0.0.1');
  const spread = [...(await open(60, '127.0.0.2')), ...(await open(60, '127.0.0.3'))];
  await until(() => accepted.length === 170, 'all were accepted');
  for (const socket of accepted.filter(({ remoteAddress }) => remoteAddress !== '127.0.0.1')) connections.noteActivity(socket, 'certificate mallory');
  const others = await open(MOST - 170 + 10, '127.0.0.4');
  for (const socket of [...quiet, ...spread, ...others]) socket.resume();
  await until(() => closed(spread) === 10, 'those of the certificate were closed');
  assert.equal(closed(quiet) + closed(others), 0);
});

test('connections leave files for all else, also where there may be few', () => {
  /** Of an idle server, and some more. */
  const own = 75;
  for (const limit of [128, 200, 256, 300, 511, 512, 1_024, 20_000]) {
    const regions = new Regions(1);
    const ledgers = connectionLedgers(regions, new Bell(regions), 'test', 1, limit);
    const counting = createServer();
    watchConnections(counting as never, ledgers);
    assert.ok(counting.maxConnections >= ledgers.most && counting.maxConnections + own < limit, `${counting.maxConnections} of ${limit}`);
    assert.ok(ledgers.most >= Math.min(limit - 256, limit / 8), `${ledgers.most} of ${limit}`);
  }
});

test.run();
