// Large byte arrays that nobody holds any more are freed while their thread idles, and V8 is left as it was.
import assert from 'node:assert/strict';
import { cachedDataVersionTag } from 'node:v8';
import { test } from 'uvu';
import { collectLargeBytes } from '../../../kernel/runtime/collect.ts';
import { until } from '../../runtime.ts';
import { startServer } from '../../server.ts';

const MEGABYTE = 1_048_576;
/** Code that is compiled with other flags than these is compiled again by whoever finds it in a cache: by every thread that starts, for all modules. */
const usual = cachedDataVersionTag();

test('large byte arrays are freed, and V8 keeps its flags', async () => {
  const end = collectLargeBytes({ minBytes: 32 * MEGABYTE, everyMs: 10 });
  const before = process.memoryUsage().arrayBuffers;
  leave(200 * MEGABYTE);
  assert.ok(process.memoryUsage().arrayBuffers > before + 199 * MEGABYTE);
  await until(() => process.memoryUsage().arrayBuffers < before + 20 * MEGABYTE, 'the collection');
  end();
  assert.equal(cachedDataVersionTag(), usual);
});

test('a server leaves the flags of V8 as they are', async () => {
  const server = await startServer();
  assert.equal(cachedDataVersionTag(), usual);
  await server.end();
});

test.run();

function leave(bytes: number): void {
  new Uint8Array(bytes).fill(1);
}
