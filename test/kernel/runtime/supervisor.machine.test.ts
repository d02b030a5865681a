// The supervisor machine, walked with a simulated clock: growing delays, the budget, probation, stops in every state.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { createActor, fromPromise, SimulatedClock } from 'xstate';
import { Fault } from '../../../kernel/fault.ts';
import { supervisorMachine } from '../../../kernel/runtime/supervise/supervisor.machine.ts';

const POLICY = { max: 3, withinMs: 60_000, firstDelayMs: 100, maxDelayMs: 250, retryMs: 60_000 };
const tick = () => new Promise((resolve) => setImmediate(resolve));

function supervise(start: () => Promise<void>) {
  const clock = new SimulatedClock();
  const told: string[] = [];
  const machine = supervisorMachine.provide({
    actors: { start: fromPromise(start), stop: fromPromise(async () => {}) },
    actions: {
      onRunning: () => told.push('running'),
      onDown: () => told.push('down'),
      onFailed: () => told.push('failed'),
      onCrash: (_, { cause }) => told.push(`crash: ${cause instanceof Error ? cause.message : cause}`),
    },
  });
  const actor = createActor(machine, { clock, input: { policy: POLICY, now: () => clock.now() } });
  actor.subscribe({ error: () => {} });
  actor.start();
  return { clock, actor, told, state: () => actor.getSnapshot().value as string };
}

test('delays double up to their limit; after too many crashes the actor is failed, and later tried again', async () => {
  let fails = false;
  const { clock, actor, state } = supervise(async () => {
    if (fails) throw new Error('still broken');
  });
  assert.equal(state(), 'starting');
  await tick();
  assert.equal(state(), 'running');
  fails = true;
  actor.send({ type: 'lost', cause: 1 });
  for (const delay of [100, 200]) {
    assert.equal(state(), 'waiting');
    clock.increment(delay - 1);
    assert.equal(state(), 'waiting');
    clock.increment(1);
    assert.equal(state(), 'starting');
    await tick();
  }
  clock.increment(250);
  await tick();
  assert.equal(state(), 'failed');
  for (let retry = 0; retry < 3; retry++) {
    clock.increment(60_000);
    assert.equal(state(), 'starting');
    await tick();
    assert.equal(state(), 'failed');
  }
  fails = false;
  clock.increment(60_000);
  await tick();
  assert.equal(state(), 'running');
  assert.equal(actor.getSnapshot().context.probation, true);
  clock.increment(60_000);
  assert.equal(actor.getSnapshot().context.probation, false);
  actor.send({ type: 'lost', cause: 2 });
  assert.equal(state(), 'waiting');
});

test('a start for which the database is away is no crash: it is tried again, and soon after that is back', async () => {
  let reason: Error | undefined = new Fault('OVERLOADED');
  const { clock, actor, state, told } = supervise(async () => {
    if (reason) throw reason;
  });
  await tick();
  for (const delay of [100, 200, ...Array<number>(20).fill(250)]) {
    assert.equal(state(), 'waiting');
    clock.increment(delay - 1);
    assert.equal(state(), 'waiting');
    reason = new Fault('UNAVAILABLE', { detail: 'the database cannot be reached' });
    clock.increment(1);
    await tick();
  }
  reason = undefined;
  clock.increment(250);
  await tick();
  assert.equal(state(), 'running');
  assert.deepEqual([told.at(0), told.at(-2), told.includes('failed')], ['crash: OVERLOADED', 'crash: the database cannot be reached', false]);
  // A crash is still the first of them.
  actor.send({ type: 'lost', cause: 1 });
  clock.increment(100);
  assert.equal(state(), 'starting');
});

test('each crash is reported with its cause and counted before the next state; running, down, failed too', async () => {
  let reason = '';
  const { clock, actor, state, told } = supervise(async () => {
    if (reason !== '') throw new Error(reason);
  });
  await tick();
  actor.send({ type: 'lost', cause: 'lost while running' });
  for (const [delayMs, next] of [
    [100, 'first start'],
    [200, 'second start'],
    [250, 'third start'],
  ] as const) {
    reason = next;
    clock.increment(delayMs);
    await tick();
  }
  assert.equal(state(), 'failed');
  assert.deepEqual(actor.getSnapshot().context.crashes, [0, 100, 300, 550]);
  reason = '';
  clock.increment(60_000);
  await tick();
  actor.send({ type: 'lost', cause: 'lost on probation' });
  assert.equal(state(), 'failed');
  assert.deepEqual(actor.getSnapshot().context.crashes, [60_550]);
  const starts = ['crash: first start', 'crash: second start', 'crash: third start', 'failed'];
  assert.deepEqual(told, ['running', 'down', 'crash: lost while running', ...starts, 'running', 'down', 'crash: lost on probation', 'failed']);
});

test('a crash counts only within the window, at any time of day', async () => {
  const { clock, actor, state } = supervise(async () => {});
  await tick();
  const loseAt = async (atMs: number) => {
    clock.increment(atMs - clock.now());
    assert.equal(state(), 'running');
    actor.send({ type: 'lost', cause: atMs });
    const next = state();
    if (next !== 'waiting') return next;
    clock.increment(250);
    await tick();
    return next;
  };
  for (const atMs of [0, 30_000, 59_000]) assert.equal(await loseAt(atMs), 'waiting');
  // The first is just as old as the window is long.
  assert.equal(await loseAt(60_000), 'waiting');
  assert.equal(await loseAt(60_500), 'failed');
});

test('replace starts the actor again without counting a crash', async () => {
  const { actor, state } = supervise(async () => {});
  await tick();
  for (let times = 0; times < 10; times++) {
    actor.send({ type: 'replace' });
    assert.equal(state(), 'starting');
    await tick();
    assert.equal(state(), 'running');
  }
  assert.deepEqual(actor.getSnapshot().context.crashes, []);
});

test('a start without the data key is not a crash: the actor is sealed, and starts again when unsealed', async () => {
  let isSealed = true;
  const { clock, actor, state, told } = supervise(async () => {
    if (isSealed) throw new Fault('KEY_SERVER_SEALED');
  });
  for (let times = 0; times < 5; times++) {
    await tick();
    assert.equal(state(), 'sealed');
    clock.increment(3_600_000);
    assert.equal(state(), 'sealed');
    actor.send({ type: 'unsealed' });
    assert.equal(state(), 'starting');
  }
  isSealed = false;
  await tick();
  actor.send({ type: 'unsealed' });
  await tick();
  actor.send({ type: 'unsealed' });
  assert.equal(state(), 'running');
  assert.deepEqual([told, actor.getSnapshot().context.crashes], [['running'], []]);
});

for (const [name, reach] of Object.entries({
  starting: async () => {},
  running: tick,
  waiting: async (actor: { send(event: { type: 'lost'; cause: unknown }): void }) => {
    await tick();
    actor.send({ type: 'lost', cause: 1 });
  },
})) {
  test(`stop from ${name} ends in stopped, and nothing moves it from there`, async () => {
    const { actor, state, clock } = supervise(name === 'starting' ? () => new Promise(() => {}) : async () => {});
    await reach(actor as never);
    assert.equal(state(), name);
    actor.send({ type: 'stop' });
    await tick();
    await tick();
    assert.equal(state(), 'stopped');
    clock.increment(1_000_000);
    assert.equal(state(), 'stopped');
  });
}

test('stop from sealed', async () => {
  const { actor, state } = supervise(async () => {
    throw new Fault('KEY_SERVER_SEALED');
  });
  await tick();
  actor.send({ type: 'stop' });
  assert.equal(state(), 'stopped');
  actor.send({ type: 'unsealed' });
  assert.equal(state(), 'stopped');
});

test('stop from failed', async () => {
  const { actor, state, clock } = supervise(async () => {
    throw new Error('broken');
  });
  for (let tried = 0; tried < 4; tried++) {
    await tick();
    clock.increment(250);
  }
  await tick();
  assert.equal(state(), 'failed');
  actor.send({ type: 'stop' });
  assert.equal(state(), 'stopped');
});

test.run();
