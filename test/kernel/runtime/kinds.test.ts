// The three kinds of actors, over threads: who serves what, in which order, and how calls end.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { callContext } from '../../../kernel/call-context.ts';
import { Fault } from '../../../kernel/fault.ts';
import { move } from '../../../kernel/runtime/channel/bytes.ts';
import { callWith } from '../../../kernel/runtime/mailbox/remote.ts';
import { pinnedProbe, replicatedProbe, shardedProbe } from '../../fakes/probe.ts';
import { createRuntime, outcome, until } from '../../runtime.ts';

const { runtime, lines, calls, ref, versions, clock } = createRuntime({
  pinned: pinnedProbe({ a: { prefix: 'A:' }, b: { prefix: 'B:' } }, { deadlineMs: 300 }),
  sharded: shardedProbe(2),
  replicated: replicatedProbe(2, { maxQueue: 6, deadlineMs: 2_000 }),
  prefetching: replicatedProbe(2, { prefetch: 4 }),
});
const a = () => ref('pinned').at('a');

test.before(() => runtime.start());
test.after(() => runtime.stop());

test('a pinned actor has a thread of its own per key', async () => {
  assert.equal(await a().echo('hi'), 'A:hi');
  assert.equal(await ref('pinned').at('b').echo('hi'), 'B:hi');
  const [one, two] = [await a().where(), await ref('pinned').at('b').where()];
  assert.notEqual(one.thread, two.thread);
  assert.equal(one.pid, process.pid);
  assert.throws(() => ref('pinned').at('c'), { code: 'NOT_FOUND' });
});

test('calls of one caller arrive in the order they were made', async () => {
  const answers = await Promise.all(Array.from({ length: 200 }, () => a().count()));
  assert.deepEqual(
    answers,
    Array.from({ length: 200 }, (_, index) => (answers[0] as number) + index),
  );
});

test('a sharded actor serves a key in one place, and keys spread', async () => {
  const keys = Array.from({ length: 40 }, (_, index) => `key-${index}`);
  const first = await Promise.all(keys.map(async (key) => (await ref('sharded').of(key).where()).key));
  const again = await Promise.all(keys.map(async (key) => (await ref('sharded').of(key).where()).key));
  assert.deepEqual(first, again);
  assert.deepEqual([...new Set(first)].sort(), ['0', '1']);
});

test('a replicated actor runs one call per thread, and refuses at once beyond its queue', async () => {
  const replicas = ref('replicated');
  const busy = Array.from({ length: 6 }, () => replicas.sleep(100));
  const refused = await outcome(replicas.echo('x'));
  assert.equal(refused, 'OVERLOADED');
  assert.deepEqual(await Promise.all(busy), Array(6).fill('slept'));
  const threads = new Set((await Promise.all([replicas.where(), replicas.where(), replicas.where()])).map(({ thread }) => thread));
  assert.equal(threads.size, 2);
});

test('while one thread is slow, the other one gets the calls', async () => {
  const many = ref('prefetching');
  let isOver = false;
  const slow = many.spin(500).then(() => {
    isOver = true;
  });
  const start = performance.now();
  // Until it shows: one at a time goes to the idle thread in any case.
  while (performance.now() - start < 50) await many.echo('x');
  await Promise.all(Array.from({ length: 12 }, () => many.echo('y')));
  assert.equal(isOver, false);
  await slow;
});

test('a call that only waits is set aside: its thread takes others, and it still counts against the queue', async () => {
  const replicas = ref('replicated');
  const order: string[] = [];
  const note = (text: string) => void order.push(text);
  const aside = Array.from({ length: 4 }, () => replicas.sleepAside(300).then(note));
  await Promise.all([replicas.echo('one').then(note), replicas.echo('two').then(note)]);
  assert.deepEqual(order.sort(), ['one', 'two']);
  const more = [replicas.sleep(1), replicas.sleep(1)];
  assert.equal(await outcome(replicas.echo('x')), 'OVERLOADED');
  await Promise.all([...aside, ...more]);
  assert.equal(order.length, 6);
  assert.equal(await replicas.echo('again'), 'again');
});

test('a fault keeps its code, detail and errors; its cause stays for the log', async () => {
  const fault = (await a()
    .deny()
    .catch((error: unknown) => error)) as Fault;
  assert.ok(fault instanceof Fault);
  assert.deepEqual([fault.code, fault.detail, fault.errors], ['PROBE_DENIED', 'not you', ['one', 'two']]);
  assert.match(String(fault.cause), /secret reason/);
});

test('an error that is not a fault becomes INTERNAL without a text of its own', async () => {
  const fault = (await a()
    .bug()
    .catch((error: unknown) => error)) as Fault;
  assert.deepEqual([fault.code, fault.detail], ['INTERNAL', undefined]);
  assert.match(String(fault.cause), /hunter2/);
});

test('a call that is not answered in time ends as DEADLINE, and its actor is told', async () => {
  assert.equal(await outcome(a().hang()), 'DEADLINE');
  assert.equal(await outcome(a().untilAborted()), 'DEADLINE');
  await until(async () => (await a().aborted()) === 1, 'the actor saw the abort');
});

test('a caller that gives up ends its call, whether it is running or waiting', async () => {
  const gone = new AbortController();
  const running = callWith(ref('sharded').of('x'), { signal: gone.signal }).untilAborted();
  const replicas = ref('replicated');
  const busy = [replicas.sleep(150), replicas.sleep(150)];
  const waiting = callWith(replicas, { signal: gone.signal }).count();
  setTimeout(() => gone.abort(), 20);
  assert.deepEqual(await Promise.all([outcome(running), outcome(waiting)]), ['CANCELLED', 'CANCELLED']);
  await Promise.all(busy);
  await until(async () => (await ref('sharded').of('x').aborted()) === 1, 'the actor saw the abort');
  // The waiting call was dropped: nobody counted it.
  const counts = await Promise.all([replicas.count(), replicas.count()]);
  assert.ok(
    counts.every((count) => count <= 2),
    String(counts),
  );
});

test('a signal that is already aborted never reaches the actor', async () => {
  const before = calls.length;
  assert.equal(await outcome(callWith(a(), { signal: AbortSignal.abort() }).count()), 'CANCELLED');
  assert.deepEqual(calls.slice(before), [{ actor: 'pinned', outcome: 'CANCELLED' }]);
});

test('the id of the request is known in the actor and in its log lines', async () => {
  await callContext.run({ requestId: 'r-1' }, async () => {
    assert.equal(await a().requestId(), 'r-1');
    await a().logIt('something happened');
  });
  await until(() => lines.some(({ message }) => message === 'something happened'), 'the log line arrived');
  const line = lines.find(({ message }) => message === 'something happened');
  assert.deepEqual([line?.['request_id'], line?.['actor'], line?.['key']], ['r-1', 'pinned', 'a']);
});

test('a value that cannot be cloned fails its own call only', async () => {
  const [bad, good, sent] = await Promise.all([outcome(a().unsendable()), a().echo('fine'), outcome(a().echo((() => 1) as never))]);
  assert.equal(bad, 'INTERNAL');
  assert.equal(good, 'A:fine');
  assert.ok(sent instanceof TypeError);
  const cloneable = Object.assign(new Date(), {});
  assert.equal(await outcome(a().echo(new Proxy({}, {}) as never)), 'INTERNAL');
  assert.equal(await a().echo('still fine'), 'A:still fine');
  assert.ok(cloneable);
});

test('bytes cross only when they own their buffer, and a secret is moved', async () => {
  const pooled = Buffer.from('pin');
  assert.ok((await outcome(a().bytes(pooled))) instanceof TypeError);
  assert.deepEqual(await a().bytes(new Uint8Array([1, 2])), new Uint8Array([2, 3]));
  const secret = new Uint8Array([1, 2, 3]);
  await a().bytes(move(secret));
  assert.equal(secret.byteLength, 0);
  const back = await a().moveBack(4);
  assert.deepEqual([...back], [7, 7, 7, 7]);
});

test('a remote is not a promise and cannot be changed', async () => {
  assert.equal((a() as unknown as { then?: unknown }).then, undefined);
  assert.throws(() => {
    (a() as unknown as { echo: unknown }).echo = 1;
  });
  assert.equal(await outcome((a() as unknown as { nope(): Promise<unknown> }).nope()), 'INTERNAL');
});

test('one move of the clock reaches every thread, and timers that became due fire', async () => {
  const before = clock.now();
  const waiting = [callWith(a(), { deadlineMs: 10_000_000 }).timer(3_600_000), callWith(ref('sharded').of('k'), { deadlineMs: 10_000_000 }).timer(3_600_000)];
  await a().echo('the timers are set');
  await ref('sharded').of('k').echo('here too');
  await runtime.advance(3_600_001);
  const times = await Promise.all(waiting);
  assert.ok(times.every((time) => time - before >= 3_600_000));
  assert.ok((await a().now()) - before >= 3_600_000);
});

test('a version counter that one thread bumps is seen by all', async () => {
  const before = (await a().version('user:_/admin')) as number;
  versions.bump('user:_/admin');
  assert.equal(await a().version('user:_/admin'), before + 1);
  versions.bumpAll();
  assert.equal(await a().version('user:_/admin'), before + 2);
  assert.equal(await ref('sharded').of('k').version('user:_/admin'), before + 2);
});

test('what an actor reports is seen by the kernel', async () => {
  await a().report(false, 'not today');
  const supervisor = () => runtime.groups.get('pinned')?.supervisors[0];
  await until(() => supervisor()?.status?.note === 'not today', 'the report arrived');
  assert.equal(supervisor()?.status?.ready, false);
});

test('a stop in which no call ends waits for two actors in full, and a second each time for others', async () => {
  const one = () => pinnedProbe({ a: { prefix: '' } });
  const stopping = createRuntime({ a: one(), b: one(), c: one(), d: one(), e: one() });
  await stopping.runtime.start();
  const calls = (['a', 'b', 'c', 'd', 'e'] as const).map((name) => outcome(stopping.ref(name).at('a').sleep(60_000)));
  let hasStopped = false;
  const stopped = stopping.runtime.stop().then(() => {
    hasStopped = true;
  });
  // Two seconds for the calls and for the end of the first one, then one and one for each of four: twelve.
  let steps = 0;
  for (; !hasStopped; steps++) await stopping.runtime.advance(100);
  assert.ok(steps < 150, String(steps));
  await stopped;
  await Promise.all(calls);
});

test.run();
