// Direct channels: actor to actor, thread or process, across restarts of either end.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { pinnedProbe, shardedProbe } from '../../fakes/probe.ts';
import { createRuntime, outcome, until } from '../../runtime.ts';

const env = { isolated: { a: { env: {} } } };
const eager = { max: 20, withinMs: 60_000, firstDelayMs: 10, maxDelayMs: 50, retryMs: 60_000 };
const { runtime, ref } = createRuntime({
  callee: pinnedProbe({ a: { prefix: 'callee:' }, b: { prefix: 'callee-b:' } }, { about: { a: { slots: [7] } }, restart: eager }),
  far: pinnedProbe({ a: { prefix: 'far:' } }, { ...env, restart: eager }),
  caller: pinnedProbe({ a: {} }, { peers: ['callee', 'far'], restart: eager, deadlineMs: 20_000 }),
  farCaller: pinnedProbe({ a: {} }, { ...env, peers: ['callee', 'far'], restart: eager, deadlineMs: 20_000 }),
  shards: shardedProbe(2, { peers: ['callee'] }),
});

test.before(() => runtime.start());
test.after(() => runtime.stop());

const callers = ['caller', 'farCaller'] as const;
const callees = [
  ['callee', 'a', 'callee:'],
  ['callee', 'b', 'callee-b:'],
  ['far', 'a', 'far:'],
] as const;

for (const caller of callers) {
  for (const [name, key, prefix] of callees) {
    test(`${caller} reaches ${name}/${key}`, async () => {
      assert.equal(await ref(caller).at('a').ask(name, key, 'hello'), `${prefix}hello`);
    });
  }
}

test('what a spec says of a key is known to callers in threads and processes, and to the runtime', async () => {
  for (const caller of callers) {
    const { about } = ref(caller).at('a');
    assert.deepEqual([await about('callee', 'a'), await about('callee', 'b'), await about('far', 'a')], [{ slots: [7] }, undefined, undefined]);
  }
  assert.deepEqual([ref('callee').about('a'), ref('far').about('a')], [{ slots: [7] }, undefined]);
});

test('every shard has its own channel', async () => {
  const answers = await Promise.all(['k1', 'k2', 'k3', 'k4'].map((key) => ref('shards').of(key).ask('callee', 'a', key)));
  assert.deepEqual(answers, ['callee:k1', 'callee:k2', 'callee:k3', 'callee:k4']);
});

for (const [name, key, prefix] of callees) {
  test(`the loss of ${name}/${key} fails the calls on its channels, and a new channel replaces them`, async () => {
    const waiting = callers.map((caller) => outcome(ref(caller).at('a').askSlow(name, key)));
    // The slow calls are on their way once an echo behind them has come back.
    for (const caller of callers) await ref(caller).at('a').ask(name, key, 'x');
    await runtime.groups
      .get(name)
      ?.supervisors.find((supervisor) => supervisor.key === key)
      ?.incarnation?.kill();
    assert.deepEqual(await Promise.all(waiting), ['ACTOR_LOST', 'ACTOR_LOST']);
    for (const caller of callers) assert.equal(await ref(caller).at('a').ask(name, key, 'again'), `${prefix}again`);
  });
}

test('a caller that is restarted gets its channels back', async () => {
  for (const caller of callers) {
    const supervisor = runtime.groups.get(caller)?.supervisors[0];
    await supervisor?.incarnation?.kill();
    await until(() => supervisor?.state === 'running', `${caller} runs again`);
    for (const [name, key, prefix] of callees) assert.equal(await ref(caller).at('a').ask(name, key, 'x'), `${prefix}x`);
  }
});

test('an actor reaches only the peers its spec names', async () => {
  assert.equal(await outcome(ref('callee').at('a').ask('caller', 'a', 'x')), 'INTERNAL');
  assert.equal(await outcome(ref('caller').at('a').ask('callee', 'nope', 'x')), 'NOT_FOUND');
});

test.run();
