// Crashes: each way a thread or process can die, with work in flight, fails that work only, and service resumes by itself.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { pinned, type Remote } from '../../../kernel/actor.ts';
import type { GarblingApi } from '../../fakes/garbling.actor.ts';
import type { ProbeApi } from '../../fakes/probe.actor.ts';
import { pinnedProbe, replicatedProbe } from '../../fakes/probe.ts';
import { createRuntime, outcome, until } from '../../runtime.ts';
import { temporaryFolder } from '../../server.ts';

const eager = { max: 50, withinMs: 60_000, firstDelayMs: 10, maxDelayMs: 50, retryMs: 60_000 };
const STUCK_MS = 2_000;
const { runtime, versions, lines, ref } = createRuntime({
  thread: pinnedProbe({ a: {} }, { restart: eager }),
  process: pinnedProbe({ a: {} }, { restart: eager, isolated: { a: { env: { ONLY: 'this' } } } }),
  watched: pinnedProbe({ a: {} }, { restart: eager, isolated: { a: { env: {}, stuckMs: STUCK_MS } } }),
  replicated: replicatedProbe(2, { restart: eager, maxQueue: 200 }),
  processes: replicatedProbe(2, { restart: eager, maxQueue: 200, process: true }),
  bystander: pinnedProbe({ a: {} }),
  garbling: pinned<GarblingApi, null>({
    ...{ module: new URL('../../fakes/garbling.actor.ts', import.meta.url), deadlineMs: 20_000 },
    ...{ instances: { a: null }, isolated: { a: { env: {} } } },
  }),
  writer: { ...pinnedProbe({ a: {} }, { restart: eager }), store: true },
});

test.before(() => runtime.start());
test.after(() => runtime.stop());

type Death = 'terminate' | 'throwUncaught' | 'rejectUnhandled' | 'exhaustHeap' | 'exit';
const DEATHS: readonly Death[] = ['terminate', 'throwUncaught', 'rejectUnhandled', 'exhaustHeap', 'exit'];
const remotes: Readonly<Record<string, () => Remote<ProbeApi>>> = {
  thread: () => ref('thread').at('a'),
  process: () => ref('process').at('a'),
  replicated: () => ref('replicated'),
  processes: () => ref('processes'),
};

for (const [name, remote] of Object.entries(remotes)) {
  for (const death of DEATHS) {
    test(`${name}: ${death} with 50 calls in flight loses those calls and nothing else`, async () => {
      const group = runtime.groups.get(name);
      const restarts = () => group?.supervisors.reduce((sum, supervisor) => sum + supervisor.restarts, 0) ?? 0;
      const before = restarts();
      const inFlight = Array.from({ length: 50 }, () => outcome(remote().sleep(group?.spec.kind === 'replicated' ? 5 : 5_000)));
      const killing = death === 'terminate' ? group?.supervisors[0]?.incarnation?.kill() : outcome(remote()[death]());
      await until(() => restarts() === before + 1, 'the crash was noticed', 30_000);
      const served = await remote().echo('back');
      assert.equal(served, 'back');
      const outcomes = await Promise.all(inFlight);
      if (group?.spec.kind === 'replicated') {
        // What had not been handed to the dead thread was served by the others.
        assert.ok(outcomes.filter((code) => code === 'slept').length >= 48, String(outcomes));
        assert.ok(outcomes.every((code) => code === 'slept' || code === 'ACTOR_LOST'));
      } else assert.deepEqual(new Set(outcomes), new Set(['ACTOR_LOST']));
      if (death !== 'terminate') assert.equal(await killing, 'ACTOR_LOST');
      assert.equal(await ref('bystander').at('a').echo('here'), 'here');
      assert.ok(lines.some(({ message, actor }) => message === 'actor lost' && actor === name));
    });
  }
}

test('an isolated actor is another process, with the environment it was given and nothing of ours', async () => {
  assert.notEqual((await remotes['process']?.().where())?.pid, process.pid);
  const env = await remotes['process']?.().env();
  assert.equal(env?.['ONLY'], 'this');
  assert.equal(env?.['PATH'], undefined);
  assert.equal(await remotes['process']?.().version('x'), undefined);
});

test('an isolated actor that hangs is killed; so is one that blocks its event loop', async () => {
  const supervisor = runtime.groups.get('process')?.supervisors[0];
  const blocked = outcome(remotes['process']?.().spin(60_000) as Promise<unknown>);
  await new Promise((resolve) => setTimeout(resolve, 50));
  await supervisor?.incarnation?.kill();
  assert.equal(await blocked, 'ACTOR_LOST');
  assert.equal(await remotes['process']?.().echo('back'), 'back');
});

test('a process that does not turn is killed, and not because this thread was blocked itself', async () => {
  const [supervisor] = runtime.groups.get('watched')?.supervisors ?? [];
  const { pid } = await ref('watched').at('a').where();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * STUCK_MS);
  await new Promise((resolve) => setTimeout(resolve, STUCK_MS));
  assert.deepEqual([(await ref('watched').at('a').where()).pid, supervisor?.restarts], [pid, 0]);
  assert.equal(await outcome(ref('watched').at('a').spin(20_000)), 'ACTOR_LOST');
  assert.equal(supervisor?.restarts, 1);
  assert.equal(await ref('watched').at('a').echo('back'), 'back');
});

test('a process that writes what is no message harms nobody: its calls are answered, and its status stays', async () => {
  const garbling = ref('garbling').at('a');
  const pid = await garbling.garble();
  assert.equal(await garbling.echo('still here'), 'still here');
  assert.equal(await garbling.garble(), pid);
  const [supervisor] = runtime.groups.get('garbling')?.supervisors ?? [];
  assert.deepEqual([supervisor?.restarts, supervisor?.status], [0, { ready: true, note: 'fine' }]);
});

test('the version counters change when a writer is lost, and again when its last work has ended', async () => {
  const supervisor = runtime.groups.get('writer')?.supervisors[0];
  const before = versions.read('x');
  const sign = join(temporaryFolder(), 'blocked');
  const blocked = outcome(ref('writer').at('a').block(sign));
  await until(() => existsSync(sign), 'the thread is in native code');
  const killed = supervisor?.incarnation?.kill();
  assert.equal(await blocked, 'ACTOR_LOST');
  assert.equal(versions.read('x'), before + 1);
  await killed;
  assert.equal(versions.read('x'), before + 2);
});

test('bytes and moved secrets reach an isolated actor, and the clock moves there too', async () => {
  const remote = remotes['process']?.() as Remote<ProbeApi>;
  assert.deepEqual([...(await remote.bytes(new Uint8Array([1, 2])))], [2, 3]);
  const returned = await remote.moveBack(3);
  assert.equal(returned.byteLength, returned.buffer.byteLength);
  const before = await remote.now();
  await runtime.advance(1_000_000);
  assert.ok((await remote.now()) - before >= 1_000_000);
});

test.run();
