// Clients that close their side of a connection after a request, and clients that leave: the first get their answers, the requests of the others end.
import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect as connectTcp, type Socket } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import Type from 'typebox';
import { test } from 'uvu';
import { LIVE_VIEWS } from '../../../kernel/http/answer/live-views.ts';
import { definePlugin } from '../../../kernel/plugin.ts';
import { BUILT_IN } from '../../../plugins/index.ts';
import { until } from '../../runtime.ts';
import { startServer, type TestServer } from '../../server.ts';

interface Held {
  readonly signal: AbortSignal;
  release(): void;
}

const held: Held[] = [];
/** Two of them are more than one caller may leave unread. */
const LARGE = new Uint8Array(100_000_000);
/** A route that answers when the test says so. */
const extra = definePlugin({
  name: 'extra',
  config: Type.Object({}, { default: {} }),
  routes: () => [
    {
      method: 'GET',
      path: '/extra/held',
      auth: 'none',
      handle: (request) =>
        new Promise((resolve) =>
          held.push({
            get signal() {
              return request.signal;
            },
            release: () => resolve({ status: 200, body: { done: true } }),
          }),
        ),
    },
    {
      method: 'GET',
      path: '/extra/large',
      auth: 'none',
      handle: (request) => new Promise((resolve) => held.push({ signal: request.signal, release: () => resolve({ status: 200, body: LARGE }) })),
    },
    {
      method: 'GET',
      path: '/extra/live',
      auth: 'none',
      live: { everyMs: 60_000 },
      permit: () => new Promise((resolve) => held.push({ signal: new AbortController().signal, release: resolve })),
      handle: () => ({ status: 200, body: { done: true } }),
    },
  ],
});

let server: TestServer;
test.before(async () => {
  server = await startServer({ plugins: [...BUILT_IN, extra] as never });
});
test.after(() => server?.end());

const asked = (version: string) => `GET /extra/held HTTP/${version}\r\nHost: x\r\n\r\n`;

for (const [version, told] of [
  ['1.1', /^(?:HTTP\/1.1 100 Continue\r\n\r\n)+HTTP\/1.1 200 /],
  ['1.0', /^HTTP\/1.1 200 /],
] as const)
  test(`a client of HTTP/${version} that closes its side gets the slow answer, and then the end`, async () => {
    const { socket, text, closed } = await client();
    const { signal, release } = await sent(socket, asked(version));
    socket.end();
    // Longer than the first waits of the server.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    assert.equal(signal.aborted, false);
    release();
    await closed;
    assert.match(text(), told);
    assert.match(text(), /\{"done":true\}$/);
  });

test('all requests that were sent before are answered', async () => {
  const { socket, text, closed } = await client();
  const first = await sent(socket, `${asked('1.1')}${asked('1.1')}`);
  socket.end();
  const before = held.length;
  first.release();
  await until(() => held.length > before, 'the second request');
  held.at(-1)?.release();
  await closed;
  assert.equal(text().match(/\{"done":true\}/g)?.length, 2);
});

test('a connection without a request ends with its client', async () => {
  const { socket, text, closed } = await client();
  socket.end();
  await closed;
  assert.equal(text(), '');
});

test('half a request is refused, and its client can read why', async () => {
  const { socket, text, closed } = await client();
  socket.end('POST /login?realm=_ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{');
  await closed;
  assert.match(text(), /^HTTP\/1.1 40[01] /);
});

const LEAVING: Readonly<Record<string, (socket: TLSSocket, below: Socket) => void>> = {
  'closes both sides': (socket) => socket.destroy(),
  'resets the connection': (_socket, below) => void below.resetAndDestroy(),
  'closes one side, and then the other': (socket) => {
    socket.end();
    setTimeout(() => socket.destroy(), 400);
  },
};

for (const [how, leave] of Object.entries(LEAVING))
  test(`the request of a client that ${how} ends`, async () => {
    const { socket, below } = await client();
    const { signal, release } = await sent(socket, asked('1.1'));
    assert.equal(signal.aborted, false);
    leave(socket, below);
    await until(() => signal.aborted, 'the signal is aborted');
    release();
  });

const responses: ServerResponse[] = [];
subscribe('http.server.request.start', (message) => void responses.push((message as { response: ServerResponse }).response));

/** @returns a request that the server works on, whose client it knows to have left */
async function deserted(bytes: string): Promise<Held> {
  const { socket } = await client();
  const request = await sent(socket, bytes);
  const closed = once(responses.at(-1) as ServerResponse, 'close');
  socket.destroy();
  await closed;
  return request;
}

test('a request ends, too, whose client has left before anybody asked for its signal', async () => {
  const request = await deserted(asked('1.1'));
  assert.equal(request.signal.aborted, true);
  request.release();
});

test('a client that has left while its answer was made holds no memory, and no place of a live view', async () => {
  const large = asked('1.1').replace('held', 'large');
  for (let count = 0; count < 3; count += 1) (await deserted(large)).release();
  const { socket, text } = await client();
  (await sent(socket, large)).release();
  await until(() => text() !== '', 'an answer');
  assert.match(text(), /^HTTP\/1.1 200 /);
  socket.destroy();
  const live = asked('1.1').replace('held', 'live').replace('\r\n\r\n', '\r\nAccept: text/event-stream\r\n\r\n');
  for (let count = 0; count < LIVE_VIEWS.each; count += 1) (await deserted(live)).release();
  const viewer = await client();
  (await sent(viewer.socket, live)).release();
  await until(() => viewer.text() !== '', 'the view');
  assert.match(viewer.text(), /^HTTP\/1.1 200 /);
  viewer.socket.destroy();
});

test.run();

async function client() {
  const { hostname, port } = new URL(server.address);
  const below = connectTcp({ host: hostname, port: Number(port), allowHalfOpen: true });
  const socket = connect({ socket: below, rejectUnauthorized: false } as ConnectionOptions);
  socket.on('error', () => {});
  let read = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (read += chunk));
  const closed = new Promise((resolve) => socket.once('end', resolve));
  await once(socket, 'secureConnect');
  return { socket, below, text: () => read, closed };
}

async function sent(socket: TLSSocket, bytes: string): Promise<Held> {
  const before = held.length;
  socket.write(bytes);
  await until(() => held.length > before, 'the request');
  return held.at(-1) as Held;
}
