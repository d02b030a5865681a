// Actors that start when they are needed: no thread before the first call, one more for each call that waits, and no peer that nobody would start.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import { pinnedProbe, replicatedProbe } from '../../fakes/probe.ts';
import { createRuntime, outcome, until } from '../../runtime.ts';
import { signInAdmin, startServer } from '../../server.ts';

type Specs = Parameters<typeof createRuntime>[0];
const started: { stop(): Promise<void> }[] = [];
test.after.each(async () => {
  for (const runtime of started.splice(0)) await runtime.stop();
});

async function run<S extends Specs>(specs: S) {
  const made = createRuntime(specs);
  started.push(made.runtime);
  await made.runtime.start();
  return made;
}

const statesOf = (runtime: ReturnType<typeof createRuntime>['runtime'], name: string) => runtime.groups.get(name)?.supervisors.map(({ state }) => state);

test('"use": the first call starts one thread and is answered; calls that wait start the others', async () => {
  const { runtime, ref } = await run({ probe: replicatedProbe(3, { start: 'use' }) });
  assert.deepEqual(statesOf(runtime, 'probe'), ['resting', 'resting', 'resting']);
  assert.equal(await ref('probe').echo('a'), 'a');
  assert.equal(await ref('probe').echo('b'), 'b');
  assert.deepEqual(statesOf(runtime, 'probe'), ['running', 'resting', 'resting']);
  const busy = ref('probe').sleep(300);
  assert.equal(await ref('probe').echo('while the other sleeps'), 'while the other sleeps');
  assert.equal(await busy, 'slept');
  await until(() => statesOf(runtime, 'probe')?.[1] === 'running', 'the second runs');
  assert.equal(statesOf(runtime, 'probe')?.[2], 'resting');
  await runtime.stop();
  assert.equal(await outcome(ref('probe').echo('late')), 'STOPPING');
  assert.equal(statesOf(runtime, 'probe')?.[2], 'resting');
});

test('"soon": the first thread starts a moment after the server, without a call', async () => {
  const { runtime, ref } = await run({ probe: replicatedProbe(2, { start: 'soon' }) });
  assert.deepEqual(statesOf(runtime, 'probe'), ['resting', 'resting']);
  await runtime.advance(1_001);
  await until(() => statesOf(runtime, 'probe')?.[0] === 'running', 'the first runs');
  assert.deepEqual(statesOf(runtime, 'probe'), ['running', 'resting']);
  assert.equal(await ref('probe').echo('a'), 'a');
});

test('"spare": one thread starts with the server, another when calls keep meeting a busy or a slow one', async () => {
  const { runtime, ref } = await run({ crowded: replicatedProbe(3, { spare: true, prefetch: 16 }), slow: replicatedProbe(2, { spare: true, prefetch: 16 }) });
  assert.deepEqual(statesOf(runtime, 'crowded'), ['running', 'resting', 'resting']);
  for (let n = 0; n < 40; n += 1) await ref('crowded').echo('one after the other');
  await Promise.all(Array.from({ length: 8 }, (_, n) => ref('crowded').echo(String(n))));
  assert.deepEqual(statesOf(runtime, 'crowded'), ['running', 'resting', 'resting']);
  for (let n = 0; n < 4; n += 1) await Promise.all(Array.from({ length: 8 }, () => ref('crowded').echo('again')));
  await until(() => statesOf(runtime, 'crowded')?.[1] === 'running', 'the second runs');
  assert.equal(statesOf(runtime, 'crowded')?.[2], 'resting');
  const busy = ref('slow').sleep(300);
  await wait(20);
  assert.equal(await ref('slow').echo('beside a long one'), 'beside a long one');
  await until(() => statesOf(runtime, 'slow')?.[1] === 'running', 'the second runs');
  assert.equal(await busy, 'slept');
});

test('"spare": another thread starts when two calls are set aside', async () => {
  const { runtime, ref } = await run({ probe: replicatedProbe(3, { spare: true, prefetch: 16 }) });
  const one = ref('probe').sleepAside(300);
  for (let n = 0; n < 4; n += 1) await ref('probe').echo('beside it');
  assert.deepEqual(statesOf(runtime, 'probe'), ['running', 'resting', 'resting']);
  const two = ref('probe').sleepAside(300);
  await until(() => statesOf(runtime, 'probe')?.[1] === 'running', 'the second runs');
  assert.equal(statesOf(runtime, 'probe')?.[2], 'resting');
  assert.deepEqual(await Promise.all([one, two]), ['slept aside', 'slept aside']);
});

test('one that cannot start is tried again as after a crash, then refuses its calls', async () => {
  const restart = { max: 1, withinMs: 600_000, firstDelayMs: 1, maxDelayMs: 1, retryMs: 600_000 };
  const { runtime, ref, lines } = await run({ bad: pinnedProbe({ a: { broken: true } }, { start: 'use', restart }) });
  assert.equal(await outcome(ref('bad').at('a').echo('a')), 'UNAVAILABLE');
  assert.deepEqual(statesOf(runtime, 'bad'), ['failed']);
  assert.ok(lines.some(({ message }) => message === 'actor lost'));
});

test('calls that wait for a replica that cannot start wake those that rest, and are refused if none can', async () => {
  const restart = { max: 1, withinMs: 600_000, firstDelayMs: 1, maxDelayMs: 1, retryMs: 600_000 };
  const { runtime, ref } = await run({ bad: { ...replicatedProbe(3, { start: 'use', restart }), args: { broken: true } } });
  assert.equal(await outcome(ref('bad').echo('a')), 'UNAVAILABLE');
  assert.deepEqual(statesOf(runtime, 'bad'), ['failed', 'failed', 'failed']);
});

test('a peer that does not exist, or that starts when it is needed, is named in a sentence', () => {
  assert.throws(
    () => createRuntime({ one: pinnedProbe({ a: {} }, { peers: ['two'] }) }),
    /the actor one names the peer two, which does not exist; there are one/,
  );
  const specs = { one: pinnedProbe({ a: {} }, { peers: ['two'] }), two: pinnedProbe({ a: {} }, { start: 'use' }) };
  assert.throws(() => createRuntime(specs), /the actor one names the peer two, whose start is "use": only a caller outside of actors can start it/);
});

for (const fronts of ['1', '3'])
  test(`a server with ${fronts} fronts is ready before they run, and serves the first call of each`, async () => {
    const server = await startServer({ env: { GATEHOUSE_HTTP_THREADS: fronts } });
    try {
      const stateOf = (name: string) => server.runtime.groups.get(name)?.supervisors[0]?.state;
      assert.ok(server.runtime.groups.get('kmip')?.supervisors.every(({ key, state }) => state === (key === '0' ? 'running' : 'resting')));
      assert.deepEqual(['tokenize', 'text', 'library'].map(stateOf), ['resting', 'resting', 'resting']);
      const cookie = await signInAdmin(server);
      assert.equal(stateOf('password'), 'running');
      assert.equal((await server.ask('GET', '/ready', { cookie })).status, 200);
      const asked = server.ask('POST', '/tokenize/word-pattern-mask', { cookie, body: { data: 'x', pattern: 'x', replace: 'y' } });
      await until(() => stateOf('tokenize') === 'starting', 'the first call starts it');
      const ready = await server.ask('GET', '/ready', { cookie });
      assert.deepEqual([ready.status, stateOf('tokenize')], [200, 'starting'], ready.text);
      const answer = await asked;
      assert.equal(answer.status, 200, answer.text);
      assert.equal(stateOf('tokenize'), 'running');
      assert.match((await server.ask('GET', '/metrics', { cookie })).text, /gatehouse_actor_state\{actor="text",key="0",state="resting"\} 1/);
    } finally {
      await server.end();
    }
  });

test.run();
