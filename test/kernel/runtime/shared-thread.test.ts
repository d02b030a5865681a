// Actors that share a thread: each is called, stopped and told the time by itself; what ends the thread ends all of them, and all start again.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { pinnedProbe, replicatedProbe, shardedProbe } from '../../fakes/probe.ts';
import { createRuntime, outcome, until } from '../../runtime.ts';

const eager = { max: 50, withinMs: 60_000, firstDelayMs: 10, maxDelayMs: 50, retryMs: 60_000 };
const quiet = { sharedThread: 'quiet', restart: eager, memoryMb: 24, deadlineMs: 30_000 };
const specs = () => ({
  one: pinnedProbe({ a: { prefix: 'one ' }, b: { prefix: 'one b ' } }, { ...quiet, peers: ['two'] }),
  two: shardedProbe(1, quiet),
  alone: pinnedProbe({ a: {} }, { restart: eager }),
});
const sharing = { isSharing: true };
const { runtime, ref, clock, lines } = createRuntime(specs(), undefined, undefined, false, sharing);
const [one, two] = [() => ref('one').at('a'), () => ref('two').of('')];

test.before(() => runtime.start());
test.after(() => runtime.stop());

const threads = async () => (await Promise.all([one().where(), ref('one').at('b').where(), two().where()])).map(({ thread }) => thread);

test('they have one thread, names and states of their own, and channels to each other', async () => {
  assert.equal(new Set(await threads()).size, 1);
  assert.notEqual((await ref('alone').at('a').where()).thread, (await threads())[0]);
  assert.deepEqual([await one().echo('x'), await ref('one').at('b').echo('x'), await two().echo('x')], ['one x', 'one b x', 'x']);
  assert.deepEqual([await one().count(), await one().count(), await two().count()], [1, 2, 1]);
  assert.equal(await one().ask('two', '0', 'hello'), 'hello');
});

test('unless they may: then each has its own', async () => {
  const apart = createRuntime(specs());
  await apart.runtime.start();
  const [first, second] = await Promise.all([apart.ref('one').at('a').where(), apart.ref('two').of('').where()]);
  assert.notEqual(first.thread, second.thread);
  await apart.runtime.stop();
});

test('time moves for all of them, and each timer fires once', async () => {
  const fired = Promise.all([one().timer(4_000), two().timer(4_000)]);
  await one().echo('armed');
  await two().echo('armed');
  await runtime.advance(4_001);
  const due = clock.now();
  for (const at of await fired) assert.ok(Math.abs(at - due) < 2_000, `${at} is not about ${due}`);
});

for (const death of ['throwUncaught', 'rejectUnhandled', 'exhaustHeap', 'exit', 'kill'] as const) {
  test(`${death} of one loses the calls of all of them, and all start again in one thread`, async () => {
    const restarts = () => ['one', 'two'].flatMap((name) => runtime.groups.get(name)?.supervisors.map((each) => each.restarts) ?? []);
    const [before, apart] = [restarts(), await ref('alone').at('a').count()];
    const inFlight = [outcome(one().sleep(20_000)), outcome(two().sleep(20_000))];
    const killing = death === 'kill' ? runtime.groups.get('one')?.supervisors[0]?.incarnation?.kill() : outcome(one()[death]());
    assert.deepEqual(await Promise.all(inFlight), ['ACTOR_LOST', 'ACTOR_LOST']);
    if (death !== 'kill') assert.equal(await killing, 'ACTOR_LOST');
    await until(() => restarts().every((count, index) => count === (before[index] as number) + 1), 'each was started again');
    assert.equal(new Set(await threads()).size, 1);
    assert.equal(await one().ask('two', '0', 'again'), 'again');
    assert.equal(await ref('alone').at('a').count(), apart + 1);
    assert.ok(lines.some(({ message, actor }) => message === 'actor lost' && actor === 'two'));
  });
}

test('one that cannot start leaves the others alone, however often it is tried', async () => {
  const specs = { good: pinnedProbe({ a: {} }, quiet), bad: pinnedProbe({ a: { broken: true } }, { ...quiet, start: 'background' }) };
  const mixed = createRuntime(specs, undefined, undefined, false, sharing);
  await mixed.runtime.start();
  const supervisorOf = (name: string) => mixed.runtime.groups.get(name)?.supervisors[0];
  const before = await mixed.ref('good').at('a').where();
  await until(() => (supervisorOf('bad')?.restarts ?? 0) >= 3, 'the bad one was tried again');
  assert.deepEqual(await mixed.ref('good').at('a').where(), before);
  assert.equal(supervisorOf('good')?.restarts, 0);
  await mixed.runtime.stop();
  const alone = createRuntime({ bad: pinnedProbe({ a: { broken: true } }, quiet) }, undefined, undefined, false, sharing);
  assert.equal(await outcome(alone.runtime.start()), 'PROBE_BROKEN');
  await alone.runtime.stop();
});

test('only actors with the usual thread can share one', () => {
  const unfit = [replicatedProbe(2, quiet), pinnedProbe({ a: {} }, { ...quiet, onDeadline: 'kill' }), { ...shardedProbe(1, quiet), nice: 10 }];
  const isolated = pinnedProbe({ a: {} }, { ...quiet, isolated: { a: { env: {} } } });
  for (const spec of [...unfit, isolated])
    assert.throws(() => createRuntime({ spec }, undefined, undefined, false, sharing), /the actor spec cannot share a thread/);
});

test.run();
