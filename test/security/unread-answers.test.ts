// Answers that nobody reads: they are closed in time, they cost what one caller may hold, and requests sent ahead are not all answered at once.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import Type from 'typebox';
import { test } from 'uvu';
import { CREDENTIAL_KINDS } from '../../kernel/http/caller/credential.ts';
import { definePlugin } from '../../kernel/plugin.ts';
import { BUILT_IN } from '../../plugins/index.ts';
import type { Made } from '../certificates.ts';
import { until } from '../runtime.ts';
import { type SecureServer, startSecureServer } from '../secure-server.ts';
import { signInAdmin } from '../server.ts';

const MIB = 1_048_576;
const made = { count: 0, busy: 0, mostBusy: 0 };
/** Answers of a size that only keys have otherwise, and a message protocol that answers with as much as it is told. */
const large = definePlugin({
  name: 'large',
  config: Type.Object({}, { default: {} }),
  routes: () => [
    { method: 'GET', path: '/large/{mib}', auth: CREDENTIAL_KINDS, handle: ({ params }) => ({ status: 200, body: bytes(Number(params['mib'])) }) },
    {
      method: 'GET',
      path: '/turn/{name}',
      auth: 'none',
      async handle({ params }) {
        made.mostBusy = Math.max(made.mostBusy, ++made.busy);
        await new Promise((resolve) => setTimeout(resolve, 20));
        made.busy -= 1;
        return { status: 200, body: params['name'], type: 'text/plain' };
      },
    },
  ],
  listeners: () => [
    {
      ...{ name: 'large', setting: 'large', host: '127.0.0.1', port: 0, headerBytes: 1, maxMessageBytes: 255 },
      lengthOf: () => 1,
      answer: async (message) => bytes(Number(message.bytes[0])),
      refuse: () => new Uint8Array(7),
    },
  ],
});

function bytes(mib: number): Uint8Array {
  made.count += 1;
  return new Uint8Array(mib * MIB);
}

let server: SecureServer;
let port: number;
let ann: Made;
let bob: Made;
test.before(async () => {
  server = await startSecureServer({ plugins: [...BUILT_IN, large] as never });
  const announced = server.announcements.find((text) => text.startsWith('large listener on '));
  port = Number(new URL(announced?.slice('large listener on '.length) as string).port);
  await signInAdmin(server);
  ann = await server.client('ann');
  bob = await server.client('bob');
});
test.after(() => server?.end());

async function dial(who: Made | undefined, to = Number(new URL(server.address).port)): Promise<TLSSocket> {
  const socket = server.dial(to, who);
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** Bytes that come until the connection is closed, or until there are so many. */
async function read(socket: TLSSocket, most = Number.POSITIVE_INFINITY): Promise<{ length: number; beginning: string }> {
  const beginning: Buffer[] = [];
  let length = 0;
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    if (length < 20_000) beginning.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length >= most) break;
  }
  return { length, beginning: Buffer.concat(beginning).toString('latin1') };
}

/** All that the buffers of the system take has left the server. */
async function stuck(socket: TLSSocket): Promise<void> {
  await once(socket, 'readable');
  await new Promise((resolve) => setTimeout(resolve, 500));
}

/** Of the whole process: the test's own side reads nothing. */
const memory = () => process.memoryUsage().rss;

test('an answer that is not read is closed after the write timeout, and its memory is there again', async () => {
  const unread = await dial(ann);
  // More than the system takes for a client that reads nothing: up to 32 MiB on some machines.
  unread.write(get('/large/100'));
  await stuck(unread);
  await server.runtime.advance(20_000);
  assert.equal(unread.destroyed, false);
  await server.runtime.advance(12_000);
  const { length } = await read(unread);
  assert.ok(length < 100 * MIB, `${length} bytes came`);
  // It counts no longer: as much as one caller may have is answered.
  const { status } = await server.as(ann)('GET', '/large/100');
  assert.equal(status, 200);
});

test('a slow but steady reader gets all of it', async () => {
  const socket = await dial(ann);
  socket.write(get('/large/30'));
  for (let length = 0; length < 30 * MIB; await server.runtime.advance(8_000)) length += (await read(socket, 4 * MIB)).length;
  socket.destroy();
});

test('a reader of some bytes now and then does not hold an answer for ever', async () => {
  const socket = await dial(ann);
  socket.write(get('/large/30'));
  const closed = once(socket, 'close');
  for (let at = 0; at < 8; at += 1) {
    await once(socket, 'readable');
    socket.read(1);
    await server.runtime.advance(10_000);
  }
  socket.resume();
  await closed;
  assert.ok(socket.bytesRead < 30 * MIB, `${socket.bytesRead} bytes came`);
});

test('a caller with unread answers gets 503 until it reads them; others are served', async () => {
  const before = memory();
  const unread = await Promise.all(Array.from({ length: 30 }, () => dial(ann)));
  for (const socket of unread) socket.write(get('/large/30'));
  await Promise.all(unread.map(stuck));
  const count = made.count;
  const refused = await server.as(ann)('GET', '/large/1');
  assert.deepEqual([refused.status, refused.body.code, refused.headers['retry-after']], [503, 'OVERLOADED', '1'], refused.text.slice(0, 200));
  assert.equal(made.count, count, 'the answer was not made');
  assert.equal((await server.as(bob)('GET', '/large/30')).status, 200);
  assert.ok(memory() - before < 400e6, `${Math.round((memory() - before) / 1e6)} MB`);
  for (const socket of unread) socket.destroy();
  await until(async () => (await server.as(ann)('GET', '/large/1')).status === 200, 'it is served again');
});

test('a caller of the listener whose answers lie unread is told so, and closed in time; others are served', async () => {
  const unread = await Promise.all(Array.from({ length: 12 }, () => dial(ann, port)));
  for (const socket of unread.slice(0, 6)) socket.write(Uint8Array.of(30));
  await Promise.all(unread.slice(0, 6).map(stuck));
  const count = made.count;
  for (const socket of unread.slice(6)) socket.write(Uint8Array.of(30));
  const answers = await Promise.all(unread.slice(6).map((socket) => read(socket, 7)));
  assert.deepEqual(
    answers.map(({ length }) => length),
    Array(6).fill(7),
  );
  assert.equal(made.count, count);
  const other = await dial(bob, port);
  other.write(Uint8Array.of(2));
  assert.equal((await read(other, 2 * MIB)).length, 2 * MIB);
  const holding = unread.filter(({ bytesRead }) => bytesRead > 7);
  assert.equal(holding.length, 4);
  const closed = until(() => holding.every(({ destroyed }) => destroyed), 'they are closed');
  await server.runtime.advance(32_000);
  for (const socket of unread) socket.resume();
  await closed;
});

test('requests that are sent ahead are answered in order, one after the other; too many end the connection', async () => {
  const socket = await dial(undefined);
  socket.write(Array.from({ length: 6 }, (_, at) => get(`/turn/${at}`)).join(''));
  let text = '';
  while ((text.match(/HTTP\/1\.1 200/g) ?? []).length < 6 || !text.endsWith('5')) text += (await read(socket, 1)).beginning;
  assert.deepEqual(
    [...text.matchAll(/\r\n\r\n(\d)/g)].map(([, body]) => body),
    ['0', '1', '2', '3', '4', '5'],
  );
  assert.equal(made.mostBusy, 1);
  // As many as 60 unread documents for anybody.
  const many = await dial(undefined);
  many.write(get('/openapi.yaml').repeat(60));
  const { beginning, length } = await read(many);
  assert.ok((beginning.match(/HTTP\/1\.1 200/g) ?? []).length < 10 && length < 4 * MIB, `${length} bytes came`);
  assert.equal((await server.ask('GET', '/openapi.yaml')).status, 200);
});

test.run();
