// Limits over several threads: they hold over all threads exactly as over one, and what an ended thread held is given back.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { test } from 'uvu';
import { Regions } from '../../../kernel/shared/region.ts';
import { BURST, type Figures, type Limits, limitsIn, type Order } from '../../fakes/limits-thread.ts';
import { until } from '../../runtime.ts';

const THREADS = 4;

let limits: Limits;
let workers: Worker[];
test.before.each(() => {
  const regions = new Regions(THREADS);
  limits = limitsIn(regions);
  workers = Array.from({ length: THREADS - 1 }, (_, at) => start(at + 1));
});
test.after.each(async () => {
  await Promise.all(workers.map((worker) => worker.terminate()));
});

const offset = new BigInt64Array(new SharedArrayBuffer(8));

function start(thread: number): Worker {
  return new Worker(new URL('../../fakes/limits-thread.ts', import.meta.url), { workerData: { memory: limits.regions.memory, thread, offset } });
}

async function ask(at: number, order: Order): Promise<Figures> {
  const worker = workers[at] as Worker;
  const answer = once(worker, 'message');
  worker.postMessage(order);
  return (await answer)[0] as Figures;
}

/** What the main thread does when a thread has ended. */
function giveBack(thread: number): void {
  limits.regions.unlock(thread);
  limits.ledger.giveBack(thread);
  limits.crowd.giveBack(thread);
  limits.turns.giveBack(thread);
}

test('all threads together admit as many sign-ins of an address as one would', async () => {
  const tries = await Promise.all(workers.map((_, at) => ask(at, { kind: 'try', address: '192.0.2.1', count: BURST })));
  const own = Array.from({ length: BURST }, () => limits.mayTry('192.0.2.1')).filter(Boolean).length;
  assert.equal(
    tries.reduce((sum, { done }) => sum + done, own),
    BURST,
  );
  assert.ok(limits.mayTry('192.0.2.2'));
  // Its end gives nobody another attempt.
  await (workers[0] as Worker).terminate();
  giveBack(1);
  assert.equal(limits.mayTry('192.0.2.1'), false);
});

test('a holder has its share once, whichever threads its items are in', async () => {
  assert.equal((await ask(0, { kind: 'hold', name: 'a', who: 'ann', amount: 60 })).done, 1);
  assert.equal((await ask(1, { kind: 'hold', name: 'b', who: 'ann', amount: 41 })).done, 0);
  assert.equal(limits.shares.isFull('ann'), true);
  assert.equal((await ask(1, { kind: 'hold', name: 'c', who: 'ann', amount: 40 })).done, 1);
  assert.deepEqual([limits.shares.held('ann'), limits.shares.total], [100, 100]);
  await ask(0, { kind: 'release', name: 'a' });
  assert.deepEqual([limits.shares.held('ann'), limits.shares.isFull('ann')], [40, false]);
});

test('beyond the total, the largest holder loses its largest item in the thread that has it', async () => {
  await ask(0, { kind: 'hold', name: 'ann 1', who: 'ann', amount: 50 });
  await ask(1, { kind: 'hold', name: 'ann 2', who: 'ann', amount: 45 });
  await ask(1, { kind: 'hold', name: 'bob', who: 'bob', amount: 80 });
  await ask(2, { kind: 'hold', name: 'cyd', who: 'cyd', amount: 70 });
  assert.equal((await ask(2, { kind: 'hold', name: 'dan', who: 'dan', amount: 10 })).done, 1);
  assert.deepEqual([limits.shares.total, limits.shares.held('ann')], [205, 45]);
  await until(async () => (await ask(0, { kind: 'figures' })).lost.includes('ann 1'), 'the thread was told');
  for (const at of [1, 2]) assert.deepEqual((await ask(at, { kind: 'figures' })).lost, []);
});

test('a caller has its turns over all threads; one that ends lets one begin that waits elsewhere', async () => {
  await ask(0, { kind: 'enter', who: 'ann', count: 3 });
  await ask(1, { kind: 'enter', who: 'ann', count: 3 });
  const begun = async () => (await Promise.all([0, 1].map((at) => ask(at, { kind: 'figures' })))).map(({ done }) => done);
  assert.deepEqual(await begun(), [3, 1]);
  await ask(0, { kind: 'leave', count: 3 });
  await until(async () => (await begun())[1] === 3, 'those that waited have begun');
});

test('what an ended thread held is given back, and nothing of the others', async () => {
  await ask(0, { kind: 'hold', name: 'a', who: 'ann', amount: 60 });
  await ask(1, { kind: 'hold', name: 'b', who: 'ann', amount: 30 });
  await ask(0, { kind: 'enter', who: 'ann', count: 9 });
  await ask(1, { kind: 'enter', who: 'ann', count: 2 });
  assert.equal((await ask(1, { kind: 'figures' })).done, 0);
  await (workers[0] as Worker).terminate();
  giveBack(1);
  assert.deepEqual([limits.shares.held('ann'), limits.shares.total], [30, 30]);
  await until(async () => (await ask(1, { kind: 'figures' })).done === 2, 'its turns are free');
  workers[0] = start(1);
  assert.equal((await ask(0, { kind: 'hold', name: 'a', who: 'ann', amount: 71 })).done, 0);
  assert.equal((await ask(0, { kind: 'hold', name: 'c', who: 'ann', amount: 70 })).done, 1);
});

test('a thread that ends while it holds the lock stops nobody', async () => {
  await ask(1, { kind: 'hold', name: 'b', who: 'bob', amount: 20 });
  const ended = once(workers[0] as Worker, 'exit');
  (workers[0] as Worker).postMessage({ kind: 'die locked' } satisfies Order);
  await ended;
  const waits = ask(1, { kind: 'hold', name: 'c', who: 'bob', amount: 20 });
  giveBack(1);
  assert.equal((await waits).done, 1);
  assert.equal(limits.shares.held('bob'), 40);
});

test('threads that take and give as fast as they can leave nothing, and nothing is missing', async () => {
  await Promise.all(workers.map((_, at) => ask(at, { kind: 'churn', rounds: 20_000 })));
  assert.equal(limits.shares.total, 0);
  for (let n = 0; n < 7; n += 1) assert.equal(limits.shares.held(`holder ${n}`), 0);
  await ask(0, { kind: 'enter', who: 'eve', count: 5 });
  assert.equal((await ask(0, { kind: 'figures' })).done, 4);
});

test.run();
