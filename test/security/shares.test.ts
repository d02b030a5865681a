// Memory of requests that arrive: it counts as it arrives, by whose it is, and whoever holds most loses, never somebody else.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { test } from 'uvu';
import { CREDENTIAL_KINDS } from '../../kernel/http/caller/credential.ts';
import { definePlugin } from '../../kernel/plugin.ts';
import { BUILT_IN } from '../../plugins/index.ts';
import type { Made } from '../certificates.ts';
import { until } from '../runtime.ts';
import { type SecureServer, startSecureServer } from '../secure-server.ts';

const MIB = 1_048_576;
/** Bodies and messages as large as those of the key server, which cost nothing but their memory. */
const large = definePlugin({
  name: 'large',
  config: { type: 'object', default: {} } as never,
  routes: () => [
    {
      ...{ method: 'POST', path: '/large', rawBody: true, bodyLimit: 64 * MIB, auth: CREDENTIAL_KINDS },
      handle: ({ body }) => ({ status: 200, body: { length: body?.length ?? 0 } }),
    },
  ],
  listeners: () => [
    {
      ...{ name: 'large', setting: 'large', host: '127.0.0.1', port: 0, headerBytes: 4, maxMessageBytes: 64 * MIB },
      lengthOf: (header) => Buffer.from(header).readUInt32BE(),
      answer: async () => Uint8Array.of(1),
      refuse: () => Uint8Array.of(2),
    },
  ],
});

let server: SecureServer;
let port: number;
let mallory: Made;
let ann: Made;
test.before.each(async () => {
  server = await startSecureServer({ config: '[http]\ntotal_memory = 268435456\n', plugins: [...BUILT_IN, large] as never });
  const announced = server.announcements.find((text) => text.startsWith('large listener on '));
  port = Number(new URL(announced?.slice('large listener on '.length) as string).port);
  mallory = await server.client('mallory');
  ann = await server.client('ann');
});
test.after.each(() => server?.end());

async function dial(who: Made, to = Number(new URL(server.address).port)): Promise<TLSSocket> {
  const socket = server.dial(to, who);
  socket.on('error', () => {}).on('data', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

const head = (length: number) => `POST /large HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\nContent-Length: ${length}\r\n\r\n`;

/** Sends and waits until the system has taken it, or the other side does not want it. */
async function send(socket: TLSSocket, bytes: Uint8Array): Promise<void> {
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.write(bytes, () => resolve());
  });
}

function message(length: number, sent = length): Buffer {
  const bytes = Buffer.alloc(sent);
  bytes.writeUInt32BE(length);
  return bytes;
}

/** Whether a message of the listener is answered. */
async function isAnswered(socket: TLSSocket, bytes: Buffer): Promise<boolean> {
  const end = once(socket, 'close').then(() => false);
  const answer = once(socket, 'data').then(([data]) => (data as Buffer)[0] === 1);
  socket.write(bytes);
  return Promise.race([end, answer]);
}

test('eight bodies that announce 64 MiB and send a byte hold nothing', async () => {
  for (let at = 0; at < 8; at += 1) {
    const socket = await dial(mallory);
    socket.write(head(64 * MIB));
    await send(socket, Uint8Array.of(1));
  }
  for (const who of [ann, mallory]) {
    const { status, text } = await server.as(who)('POST', '/large', { body: 'x'.repeat(32 * MIB), headers: { 'content-type': 'text/plain' } });
    assert.equal(status, 200, text);
  }
});

test('one who fills its share with bodies is refused more, and others are served', async () => {
  const held = await Promise.all(Array.from({ length: 5 }, () => dial(mallory)));
  const answers: string[] = [];
  for (const socket of held) {
    socket.on('data', (data: Buffer) => answers.push(data.toString('latin1')));
    socket.write(head(64 * MIB));
    await send(socket, Buffer.alloc(40 * MIB));
  }
  await until(() => answers.length >= 2, 'some were refused');
  assert.match(answers[0] as string, /^HTTP\/1\.1 503 [\s\S]*retry-after: 1[\s\S]*"OVERLOADED"/);
  assert.equal(held.filter(({ destroyed }) => !destroyed).length >= 2, true);
  const { status, text } = await server.as(ann)('POST', '/large', { body: 'x'.repeat(60 * MIB), headers: { 'content-type': 'text/plain' } });
  assert.equal(status, 200, text);
});

test('one client certificate with five connections just short of a message closes none but its own', async () => {
  const greedy = await Promise.all(Array.from({ length: 5 }, () => dial(mallory, port)));
  // Together just short of the 256 MiB that there are.
  for (const [at, socket] of greedy.entries()) await send(socket, message(64 * MIB, (at === 4 ? 3 : 63) * MIB));
  const waiting = await dial(ann, port);
  await send(waiting, message(10 * MIB, 5 * MIB));
  assert.equal(await isAnswered(await dial(ann, port), message(20 * MIB)), true);
  assert.equal(waiting.destroyed, false);
  assert.equal(await isAnswered(waiting, Buffer.alloc(5 * MIB)), true);
});

test('where all together hold too much, whoever holds most loses', async () => {
  const small = await dial(ann, port);
  await send(small, message(30 * MIB, 20 * MIB));
  const others = await Promise.all(['bob', 'cyd', 'dan', 'eve'].map(async (name) => dial(await server.client(name), port)));
  for (const [at, socket] of others.entries()) await send(socket, message(64 * MIB, (at === 2 ? 63 : 60) * MIB));
  // 20 and 243 MiB are more than the 256 that there are.
  await until(() => others.some(({ destroyed }) => destroyed), 'one was closed');
  assert.deepEqual(
    others.map(({ destroyed }) => destroyed),
    [false, false, true, false],
  );
  assert.equal(await isAnswered(small, Buffer.alloc(10 * MIB)), true);
});

test.run();
