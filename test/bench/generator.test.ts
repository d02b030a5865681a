// The load generators against a server that counts: the same request in every byte, refusals that are no result, and what the server costs meanwhile.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import { cpuMsOf, memoryMbOf, treeOf } from '../../bench/cost/process-cost.ts';
import { driveOwn } from '../../bench/load/generator.ts';
import { bytesOf, post } from '../../bench/load/http-request.ts';
import { type Drive, driveWrk, hasWrk, luaOf, resultOf } from '../../bench/load/wrk.ts';
import { makeCertificate, SERVER_AUTH } from '../certificates.ts';

const BODY = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const request = post('/any?x=1', { cookie: 'a="b\\n"', 'content-type': 'application/octet-stream' }, BODY);
const made = await makeCertificate('CN=localhost', { usage: SERVER_AUTH, names: ['127.0.0.1'] });
const seen = new Map<string, number>();
let status = 200;
let isRenewing = false;
const server = createServer({ cert: made.cert, key: made.key }, async (incoming, answer) => {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const { cookie, 'content-type': type } = incoming.headers;
  const told = `${incoming.method} ${incoming.url} ${cookie} ${type} ${Buffer.concat(parts).toString('hex')}`;
  seen.set(told, (seen.get(told) ?? 0) + 1);
  answer.writeHead(status, { 'content-length': '2', ...(isRenewing && { connection: 'close' }) }).end('{}');
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
test.after(() => void server.close());
test.before.each(() => {
  seen.clear();
  status = 200;
  isRenewing = false;
});

const GENERATORS: Readonly<Record<string, (options: Drive) => ReturnType<typeof driveWrk>>> = {
  ...(hasWrk && { wrk: driveWrk }),
  'load.ts': (options) => driveOwn({ ...options, ca: made.cert }),
};

for (const [name, drive] of Object.entries(GENERATORS)) {
  test(`${name} sends the same bytes again and again, and counts the answers`, async () => {
    const { requests, perSecond, p50Ms, p99Ms } = await drive({ address, request, connections: 3, seconds: 0.3 });
    const told = `POST /any?x=1 a="b\\n" application/octet-stream ${Buffer.from(BODY).toString('hex')}`;
    assert.deepEqual([...seen.keys()], [told]);
    // The last ones may still be under way.
    assert.ok(requests > 3 && Math.abs((seen.get(told) as number) - requests) <= 3, `${requests} of ${seen.get(told)}`);
    assert.ok(perSecond > requests / 0.6 / 2 && p50Ms > 0 && p99Ms >= p50Ms);
  });

  test(`${name} makes a connection anew that the server ends with an answer`, async () => {
    isRenewing = true;
    const { requests } = await drive({ address, request, connections: 2, seconds: 0.3 });
    assert.ok(requests > 2, `${requests}`);
  });

  test(`${name} takes no refusal for a result`, async () => {
    status = 429;
    await assert.rejects(drive({ address, request, connections: 1, seconds: 0.2 }), /refused|answered HTTP\/1\.1 429/);
  });
}

test('a result of wrk with broken requests, or without a result, is an error', () => {
  assert.equal(resultOf('Running\nRESULT 100 2000000 1500 9000 0 0\n').perSecond, 50);
  assert.throws(() => resultOf('RESULT 100 2000000 1500 9000 0 2\n'), /2 ended without an answer/);
  assert.throws(() => resultOf('unable to connect'), /printed no result: unable to connect/);
  assert.match(luaOf(request), /^wrk\.method = "\\080\\079\\083\\084"$/m);
  assert.match(bytesOf(request, 'h').toString('latin1'), /^POST \/any\?x=1 HTTP\/1\.1\r\nhost: h\r\n(?:.+\r\n)*content-length: 256\r\n\r\n/);
});

test('CPU time and memory of a process and of what it has started', async () => {
  const busy = 'while (process.cpuUsage().user < 300000); console.log("done"); setTimeout(() => {}, 60000);';
  const script = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(busy)}], { stdio: 'inherit' }); setTimeout(() => {}, 60000);`;
  const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => parent.stdout.once('data', resolve));
  const tree = treeOf(parent.pid as number);
  try {
    assert.equal(tree.length, 2);
    const [, child] = tree as [number, number];
    assert.ok(cpuMsOf(child) >= 200, `${cpuMsOf(child)} ms`);
    assert.ok(memoryMbOf([child]) > 5 && memoryMbOf(tree) > memoryMbOf([child]));
  } finally {
    for (const pid of tree) process.kill(pid, 'SIGKILL');
  }
});

test.run();
