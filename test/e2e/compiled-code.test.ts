// What V8 has compiled for requests serves those of other clients too, and is still there when a server has rested.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { test } from 'uvu';
import { until } from '../runtime.ts';
import { temporaryFolder, WITHOUT_SELF_TESTS } from '../server.ts';
import { exitOf } from './started.ts';
import { forgotten, givenUp, startTold, type ToldServer } from './told-code.ts';

const REQUESTS = 3_000;
/** Of all clients together. One that has V8 compile a request anew costs five to twenty. */
const MOST_GIVEN_UP = 3;

async function serverDoes(flags: readonly string[], work: (server: ToldServer) => Promise<void>): Promise<void> {
  const folder = temporaryFolder();
  const server = await startTold(join(folder, 'data'), flags, WITHOUT_SELF_TESTS);
  try {
    await work(server);
  } finally {
    server.child.kill('SIGTERM');
    await exitOf(server.child);
    rmSync(folder, { recursive: true });
  }
}

/** A client that leaves when it has sent its requests. @param headers in the order in which they are sent */
async function visit({ address, ca }: ToldServer, headers: Readonly<Record<string, string>>): Promise<void> {
  const agent = new Agent({ connections: 1, connect: { ca } });
  for (let count = 0; count < REQUESTS; count += 1) {
    const { statusCode, body } = await request(`${address}/version`, { headers, dispatcher: agent });
    await body.dump();
    assert.equal(statusCode, 200);
  }
  await agent.close();
}

/** The thread of the front, as V8 tells of its collections: the one that had most to collect. */
function busiestIn(output: string): string {
  const counts = new Map<string, number>();
  for (const [, thread = ''] of output.matchAll(/^\[(\d+:0x[0-9a-f]+)\] .*Scavenge/gm)) counts.set(thread, (counts.get(thread) ?? 0) + 1);
  const [busiest] = [...counts].sort(([, one], [, other]) => other - one);
  assert.ok(busiest, 'nothing was collected');
  return busiest[0];
}

test('what is compiled for a client serves those that send other headers, in another order', () =>
  serverDoes([], async (server) => {
    const first = { accept: '*/*', 'user-agent': 'one', 'accept-language': 'de' };
    // That a client leaves is new to V8 too.
    for (const headers of [first, first]) await visit(server, headers);
    const before = server.output.text.length;
    await visit(server, { 'x-of-two': '1', 'user-agent': 'two', te: 'trailers', accept: '*/*' });
    await visit(server, { 'user-agent': 'three', accept: '*/*', priority: 'u=1' });
    await visit(server, { 'accept-language': 'fr', accept: 'application/json', 'x-of-four': '1' });
    const names = givenUp(server.output.text.slice(before));
    assert.ok(names.length <= MOST_GIVEN_UP, names.join(', '));
  }));

test('what is compiled for clients is still there when the server has rested without any', () =>
  serverDoes(['--trace-gc', '--gc-memory-reducer-start-delay-ms=500'], async (server) => {
    await visit(server, { accept: '*/*' });
    const thread = busiestIn(server.output.text);
    const before = server.output.text.length;
    const since = () => server.output.text.slice(before);
    const collected = new RegExp(`\\[${thread}\\] +\\d+ ms: Mark-Compact`);
    await until(() => collected.test(since()), 'V8 collects', 60_000);
    assert.equal(forgotten(since()).join(', '), '');
  }));

test.run();
