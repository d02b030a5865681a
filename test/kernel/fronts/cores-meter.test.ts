// The cores that are left: the CPU time of the thread pool counts as left, because a further front would do that work itself.
import assert from 'node:assert/strict';
import { pbkdf2, pbkdf2Sync } from 'node:crypto';
import { promisify } from 'node:util';
import { test } from 'uvu';
import { coresMeter } from '../../../kernel/fronts/growth.ts';
import { PoolTime } from '../../../kernel/runtime/measure/pool-time.ts';

const CORES = 2;
/** Some 200 ms and more. */
const ROUNDS = 300_000;
const isTold = process.platform === 'linux';

const usedMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

test('the time of the pool is that of its threads, and of no other', async () => {
  if (!isTold) return;
  const pool = new PoolTime();
  await promisify(pbkdf2)('password', 'salt', 1, 32, 'sha256');
  const before = pool.ms();
  pbkdf2Sync('password', 'salt', ROUNDS, 32, 'sha256');
  const between = pool.ms();
  const own = usedMs();
  await promisify(pbkdf2)('password', 'salt', ROUNDS, 32, 'sha256');
  const [inPool, all] = [pool.ms() - between, usedMs() - own];
  assert.ok(between - before < 0.2 * inPool, `${between - before} ms in this thread`);
  assert.ok(inPool > 0.6 * all && inPool <= 1.1 * all, `${inPool} of ${all} ms in the pool`);
});

test('the work of this thread takes a core from what is left, that of the pool does not', async () => {
  if (!isTold) return;
  await promisify(pbkdf2)('password', 'salt', 1, 32, 'sha256');
  const left = coresMeter(CORES);
  pbkdf2Sync('password', 'salt', ROUNDS, 32, 'sha256');
  const here = left();
  await promisify(pbkdf2)('password', 'salt', ROUNDS, 32, 'sha256');
  const pooled = left();
  assert.ok(pooled.left > here.left && pooled.left > CORES - 0.5, `${here.left} and ${pooled.left} cores`);
  assert.ok(pooled.free <= pooled.left);
});

test.run();
