// What the wire target takes for an answer: made-up servers that answer, close, say nothing, break off and hold on; only what is owed passes.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type TLSSocket } from 'node:tls';
import { test } from 'uvu';
import { encodeBinary } from '../../kmip/ttlv/binary.ts';
import { makeCertificate, SERVER_AUTH } from '../certificates.ts';
import { type Exchanged, exchange } from './exchange.ts';
import { code } from './members.ts';
import { batchItem, requestMessage } from './objects.ts';
import { checkHttp, checkKmip, frames, patience, type Sent } from './wire-answer.ts';

const PATIENCE_MS = 300;
const GET = Buffer.from('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-type: application/json\r\n\r\n{}';
const QUERY = encodeBinary(requestMessage({ major: 2, minor: 1 }, [batchItem('Query', [code('QueryFunction', 'QueryOperations')])]));

/** What a server does with the first bytes that arrive. */
const SERVERS = {
  answers: (socket: TLSSocket) => void socket.end(ANSWER),
  continues: (socket: TLSSocket) => void socket.end(`HTTP/1.1 100 Continue\r\n\r\n${ANSWER}`),
  'continues only': (socket: TLSSocket) => void socket.end('HTTP/1.1 100 Continue\r\n\r\n'),
  closes: (socket: TLSSocket) => void socket.end(),
  resets: (socket: TLSSocket) => void socket.destroy(),
  'says nothing': () => {},
  'answers and keeps it open': (socket: TLSSocket) => void socket.write(ANSWER),
  'holds on': (socket: TLSSocket) => {
    socket.allowHalfOpen = true;
  },
  'asks back': (socket: TLSSocket) => void socket.write(QUERY),
} as const;

const started: Server[] = [];
test.after(() => {
  for (const server of started) server.close();
});

async function ask(name: keyof typeof SERVERS, bytes: Uint8Array = GET, isAnswered = (_: Buffer): boolean => false): Promise<Exchanged> {
  const made = await makeCertificate('CN=x', { usage: SERVER_AUTH, names: ['127.0.0.1'] });
  const server = createServer({ cert: made.cert, key: made.key }, (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => SERVERS[name](socket));
  });
  started.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, ca: made.cert });
  return exchange(socket, bytes, { isAnswered, patienceMs: PATIENCE_MS, closeMs: PATIENCE_MS });
}

const whole: Sent = { bytes: GET, least: 1, most: 1 };
const broken: Sent = { bytes: GET, least: 0, most: 0 };

test('an exchange tells an answer from a close, from silence, and from a connection that is held', async () => {
  const endings = Object.fromEntries(
    await Promise.all(Object.keys(SERVERS).map(async (name) => [name, (await ask(name as keyof typeof SERVERS)).ending] as const)),
  );
  assert.deepEqual(endings, {
    answers: 'closed',
    continues: 'closed',
    'continues only': 'closed',
    closes: 'closed',
    resets: 'closed',
    'says nothing': 'silent',
    'answers and keeps it open': 'silent',
    'holds on': 'held',
    'asks back': 'silent',
  });
  assert.equal((await ask('answers and keeps it open', GET, (answer) => answer.length > 0)).ending, 'answered');
});

test('a whole request over HTTPS is owed an answer: silence is none, nor is a close, nor "continue"', async () => {
  for (const name of ['answers', 'continues'] as const) checkHttp(whole, await ask(name));
  for (const name of ['says nothing', 'closes', 'resets', 'continues only', 'answers and keeps it open', 'holds on'] as const) {
    const exchanged = await ask(name);
    assert.throws(() => checkHttp(whole, exchanged), { code: 'ERR_ASSERTION' }, name);
  }
});

test('a request that may lack its end is owed none, but its connection ends with the client', async () => {
  for (const name of ['answers', 'says nothing', 'closes', 'resets'] as const) checkHttp(broken, await ask(name));
  const held = await ask('holds on');
  assert.throws(() => checkHttp(broken, held), /held open/);
});

test('a message of KMIP is owed an answer, and one behind what cannot be read an answer or a close', async () => {
  const sent = (least: number, most: number): Sent => ({ bytes: QUERY, least, most });
  const isAnswered = (count: number) => (answer: Buffer) => frames(answer) >= count;
  for (const name of ['says nothing', 'closes', 'holds on'] as const) {
    const exchanged = await ask(name, QUERY, isAnswered(1));
    assert.throws(() => checkKmip(sent(1, 1), exchanged), { code: 'ERR_ASSERTION' }, name);
  }
  checkKmip(sent(0, 1), await ask('closes', QUERY, isAnswered(1)));
  const silent = await ask('says nothing', QUERY, isAnswered(1));
  assert.throws(() => checkKmip(sent(0, 1), silent), /of 1 messages 0 were answered/);
  const once = await ask('asks back', QUERY, isAnswered(2));
  assert.throws(() => checkKmip(sent(0, 2), once), /of 2 messages 1 were answered/);
  const request = await ask('asks back', QUERY, isAnswered(1));
  assert.equal(request.ending, 'answered');
  // A message, but none that answers.
  assert.throws(() => checkKmip(sent(1, 1), request), { code: 'ERR_ASSERTION' });
});

test('silence is waited out while an answer is owed', () => {
  assert.ok(patience(whole) > 5_000 && patience({ ...broken, most: 1 }) > 5_000 && patience(broken) < 1_000);
});

test.run();
