// Supervision: growing delays, the crash budget, failed and retried, killed at a deadline, stopped gracefully.
import assert from 'node:assert/strict';
import type { Worker } from 'node:worker_threads';
import { test } from 'uvu';
import { DEFAULT_RESTART } from '../../../kernel/restart-policy.ts';
import { pinnedProbe, replicatedProbe } from '../../fakes/probe.ts';
import { createRuntime, outcome, until } from '../../runtime.ts';

async function crash(remote: { throwUncaught(): Promise<unknown> }): Promise<void> {
  assert.equal(await outcome(remote.throwUncaught()), 'ACTOR_LOST');
}

test('a crash loop makes only that actor failed; its calls fail at once, and it is retried every retryMs', async () => {
  const { runtime, ref } = createRuntime({
    weak: pinnedProbe({ a: {} }, { restart: { max: 2, withinMs: 600_000, firstDelayMs: 5, maxDelayMs: 10, retryMs: 60_000 } }),
    other: pinnedProbe({ a: {} }),
  });
  await runtime.start();
  const supervisor = runtime.groups.get('weak')?.supervisors[0];
  const weak = () => ref('weak').at('a');
  for (let crashes = 0; crashes < 3; crashes++) await crash(weak());
  await until(() => supervisor?.state === 'failed', 'failed');
  assert.equal(await outcome(weak().echo('x')), 'UNAVAILABLE');
  assert.equal(await ref('other').at('a').echo('x'), 'x');
  await runtime.advance(60_001);
  await until(() => supervisor?.state === 'running', 'running again');
  assert.equal(await weak().echo('back'), 'back');
  // On probation: one crash more within the window and it is failed again.
  await crash(weak());
  await until(() => supervisor?.state === 'failed', 'failed again');
  await runtime.advance(60_001);
  await until(() => supervisor?.state === 'running', 'running a third time');
  await runtime.advance(600_001);
  await crash(weak());
  await until(() => supervisor?.state === 'running', 'the budget is whole again');
  assert.equal(supervisor?.restarts, 5);
  await runtime.stop();
});

test('calls made while an actor is down wait for it; those waiting when it fails are refused', async () => {
  const { runtime, ref } = createRuntime({
    weak: pinnedProbe(
      { a: {} },
      { restart: { max: 1, withinMs: 600_000, firstDelayMs: 3_600_000, maxDelayMs: 3_600_000, retryMs: 60_000 }, deadlineMs: 100_000_000 },
    ),
  });
  await runtime.start();
  const supervisor = runtime.groups.get('weak')?.supervisors[0];
  await crash(ref('weak').at('a'));
  await until(() => supervisor?.state === 'waiting', 'waiting');
  const waited = ref('weak').at('a').echo('patient');
  await runtime.advance(3_600_001);
  assert.equal(await waited, 'patient');
  await runtime.stop();
});

test('a first start that fails stops the boot with its reason, and nothing is left running', async () => {
  const { runtime } = createRuntime({ good: pinnedProbe({ a: {} }), bad: pinnedProbe({ a: { broken: true } }) });
  await assert.rejects(runtime.start(), { code: 'PROBE_BROKEN', detail: 'this actor is broken' });
  await runtime.stop();
  assert.deepEqual(
    [...runtime.groups.values()].flatMap(({ supervisors }) => supervisors.map(({ state }) => state)),
    ['stopped', 'stopped'],
  );
});

test('a background actor does not delay the start of the server, and is tried again', async () => {
  const { runtime, ref } = createRuntime({ bad: pinnedProbe({ a: { broken: true } }, { start: 'background' }) });
  await runtime.start();
  const supervisor = runtime.groups.get('bad')?.supervisors[0];
  await until(() => supervisor?.state === 'failed', 'failed after its tries');
  assert.equal(supervisor?.restarts, 4);
  assert.equal(await outcome(ref('bad').at('a').echo('x')), 'UNAVAILABLE');
  await runtime.stop();
});

test("deadline: 'kill' ends the thread at the deadline and replaces it, which does not count as a crash", async () => {
  const { runtime, ref } = createRuntime({ strict: replicatedProbe(1, { deadlineMs: 150, onDeadline: 'kill' }) });
  await runtime.start();
  const [supervisor] = runtime.groups.get('strict')?.supervisors ?? [];
  const before = await ref('strict').where();
  const late = outcome(ref('strict').spin(60_000));
  assert.equal(await late, 'DEADLINE');
  await until(() => supervisor?.state === 'running', 'replaced');
  const after = await ref('strict').where();
  assert.notEqual(after.thread, before.thread);
  assert.equal(supervisor?.restarts, 0);
  await runtime.stop();
});

test("deadline: 'kill' counts from the start of the work, not from its waiting", async () => {
  const { runtime, ref } = createRuntime({ strict: replicatedProbe(1, { deadlineMs: 400, onDeadline: 'kill' }) });
  await runtime.start();
  const answers = await Promise.all([outcome(ref('strict').spin(250)), outcome(ref('strict').spin(250))]);
  assert.deepEqual(answers, [undefined, undefined]);
  await runtime.stop();
});

test("deadline: 'kill' limits CPU time where the system tells it, and ten times as much on the clock", async () => {
  const limitMs = 500;
  const { runtime, ref } = createRuntime({ strict: replicatedProbe(1, { deadlineMs: limitMs, onDeadline: 'kill' }) });
  await runtime.start();
  const expected = process.platform === 'linux' ? 'slept' : 'DEADLINE';
  // The first call of a thread begins before the thread has told its number.
  assert.equal(await outcome(ref('strict').sleep(limitMs + 100)), expected);
  const waiting = outcome(ref('strict').sleep(300));
  await runtime.advance(limitMs + 1);
  assert.equal(await waiting, expected);
  const stuck = outcome(ref('strict').sleep(60_000));
  await runtime.advance(10 * limitMs + 1);
  assert.equal(await stuck, 'DEADLINE');
  await runtime.stop();
});

test('a stop while a thread is replaced ends the new one as well', async () => {
  const threads = new Set<Worker>();
  const note = (worker: Worker) => {
    threads.add(worker);
    worker.on('exit', () => threads.delete(worker));
  };
  process.on('worker', note);
  const { runtime, ref } = createRuntime({ strict: replicatedProbe(1, { deadlineMs: 150, onDeadline: 'kill' }) });
  await runtime.start();
  const [first] = threads;
  assert.equal(await outcome(ref('strict').spin(60_000)), 'DEADLINE');
  await until(() => threads.size === 1 && !threads.has(first as Worker), 'another thread takes its place');
  assert.equal(runtime.groups.get('strict')?.supervisors[0]?.state, 'starting');
  await runtime.stop();
  await until(() => threads.size === 0, 'no thread is left');
  process.off('worker', note);
});

test('a graceful stop waits for running calls, runs the stop hook, and refuses later calls', async () => {
  const { runtime, ref, lines } = createRuntime({ a: pinnedProbe({ a: {} }), p: pinnedProbe({ a: {} }, { isolated: { a: { env: {} } } }) });
  await runtime.start();
  const underWay = [ref('a').at('a').sleep(100), ref('p').at('a').sleep(100)];
  const stopped = runtime.stop();
  assert.deepEqual(await Promise.all(underWay), ['slept', 'slept']);
  await stopped;
  assert.equal(lines.filter(({ message }) => message === 'probe stopped').length, 2);
  assert.equal(await outcome(ref('a').at('a').echo('x')), 'STOPPING');
});

test('an actor that does not stop in time is killed', async () => {
  const { runtime, ref, lines } = createRuntime({ a: pinnedProbe({ a: {} }, { deadlineMs: 100_000 }) });
  await runtime.start();
  const stuck = outcome(ref('a').at('a').spin(60_000));
  await new Promise((resolve) => setTimeout(resolve, 50));
  await runtime.stop();
  assert.equal(await stuck, 'ACTOR_LOST');
  assert.ok(lines.some(({ message }) => message === 'the actor did not stop in time; it is killed'));
});

test('a thread that holds calls past their deadline shows as overdue', async () => {
  const { runtime, ref } = createRuntime({ a: pinnedProbe({ a: {} }, { deadlineMs: 50 }) });
  await runtime.start();
  const [supervisor] = runtime.groups.get('a')?.supervisors ?? [];
  assert.equal(await outcome(ref('a').at('a').sleep(300)), 'DEADLINE');
  assert.equal(supervisor?.dispatcher.overdue, 1);
  await until(() => supervisor?.dispatcher.overdue === 0, 'answered late');
  await runtime.stop();
});

test('the default policy is the documented one', () => {
  assert.deepEqual({ ...DEFAULT_RESTART }, { max: 5, withinMs: 60_000, firstDelayMs: 50, maxDelayMs: 5_000, retryMs: 60_000 });
});

test.run();
