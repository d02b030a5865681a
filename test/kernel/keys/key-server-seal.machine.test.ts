// The machine of the seal, walked with a simulated clock: attempts, their limit, growing delays, and a key that goes away.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { createActor, fromPromise, SimulatedClock } from 'xstate';
import { keyServerSealMachine } from '../../../kernel/keys/key-server-seal.machine.ts';
import { walk } from '../../machines.ts';

const tick = () => new Promise((resolve) => setImmediate(resolve));

function start(unseal: () => Promise<void>) {
  const clock = new SimulatedClock();
  const told: string[] = [];
  const machine = keyServerSealMachine.provide({
    actors: { unseal: fromPromise(unseal) },
    actions: {
      onSealed: ({ context: { reason } }) => told.push(`sealed: ${(reason as Error).message}`),
      onUnsealed: () => told.push('unsealed'),
    },
  });
  const actor = createActor(machine, { clock });
  actor.start();
  return { clock, actor, told, state: () => actor.getSnapshot().value as string };
}

test('every state and every event', () => {
  const { steps, states } = walk(keyServerSealMachine, {
    succeeds: { type: 'xstate.done.actor.0.keyServerSeal.unsealing' },
    fails: { type: 'xstate.error.actor.0.keyServerSeal.unsealing' },
    'is late': { type: 'xstate.after.limit.keyServerSeal.unsealing' },
    'is tried again': { type: 'xstate.after.retry.keyServerSeal.sealed' },
    'is away': { type: 'away', reason: new Error('gone') } as never,
  });
  assert.deepEqual(states, ['sealed', 'unsealed', 'unsealing']);
  const moves = steps.filter(({ from, to }) => from !== to).map(({ from, event, to }) => `${from} --${event}--> ${to}`);
  assert.deepEqual(moves, [
    'unsealing --succeeds--> unsealed',
    'unsealing --fails--> sealed',
    'unsealing --is late--> sealed',
    'unsealed --is away--> sealed',
    'sealed --is tried again--> unsealing',
  ]);
});

test('the delays between attempts double from 1 s to 10 s, for ever; once unsealed they begin anew', async () => {
  let isAway = true;
  const { clock, actor, state, told } = start(async () => {
    if (isAway) throw new Error('not there');
  });
  await tick();
  for (const delayMs of [1_000, 2_000, 4_000, 8_000, 10_000, 10_000]) {
    assert.equal(state(), 'sealed');
    clock.increment(delayMs - 1);
    assert.equal(state(), 'sealed', `before ${delayMs} ms`);
    clock.increment(1);
    assert.equal(state(), 'unsealing', `after ${delayMs} ms`);
    await tick();
  }
  isAway = false;
  clock.increment(10_000);
  await tick();
  assert.equal(state(), 'unsealed');
  assert.deepEqual(actor.getSnapshot().context, { failures: 0, reason: undefined });
  isAway = true;
  actor.send({ type: 'away', reason: new Error('taken out') });
  assert.deepEqual(told.slice(-2), ['unsealed', 'sealed: taken out']);
  clock.increment(1_000);
  assert.equal(state(), 'unsealing');
});

test('an attempt that does not end is given up after 10 s, and its later result is ignored', async () => {
  const ends: (() => void)[] = [];
  const { clock, state, told } = start(() => new Promise((resolve) => ends.push(resolve)));
  clock.increment(9_999);
  assert.equal(state(), 'unsealing');
  clock.increment(1);
  assert.equal(state(), 'sealed');
  assert.deepEqual(told, ['sealed: it did not answer within 10 seconds']);
  ends[0]?.();
  await tick();
  assert.equal(state(), 'sealed');
  clock.increment(1_000);
  await tick();
  ends[1]?.();
  await tick();
  assert.equal(state(), 'unsealed');
});

test.run();
