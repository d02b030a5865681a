// Parts of actors beside their callers: which calls they answer, and how the others reach the actor.
import assert from 'node:assert/strict';
import { threadId } from 'node:worker_threads';
import { test } from 'uvu';
import { callContext } from '../../../kernel/call-context.ts';
import { Fault } from '../../../kernel/fault.ts';
import { pinnedProbe, replicatedProbe, shardedProbe } from '../../fakes/probe.ts';
import { createRuntime, outcome, until } from '../../runtime.ts';

const beside = new URL('../../fakes/probe.beside.ts', import.meta.url);
const specs = {
  sharded: shardedProbe(2, { beside }),
  plain: replicatedProbe(1),
  replicated: replicatedProbe(2, { beside, prefetch: 4 }),
  asking: shardedProbe(1, { beside, peers: ['asked', 'slow'] }),
  asked: pinnedProbe({ a: { prefix: 'asked:' } }),
  slow: pinnedProbe({ a: {} }, { deadlineMs: 100 }),
  broken: { ...replicatedProbe(1), beside: new URL('../../fakes/missing.ts', import.meta.url) },
};
const { runtime, ref, lines, calls } = createRuntime(specs);
const of = (key: string) => ref('sharded').of(key);

test.before(() => runtime.start());
test.after(() => runtime.stop());

test('a method that the part has is answered in the thread of its caller, whatever the key', async () => {
  assert.equal((await of('a').where()).thread, threadId);
  assert.equal(await of('b').echo('hi'), 'beside:hi');
  assert.notEqual((await ref('plain').where()).thread, threadId);
});

test('a method that the part lacks, and a call that it leaves, are answered by the actor', async () => {
  assert.equal(await of('a').count(), 1);
  assert.equal(await of('a').echo('left to it'), 'left to it');
});

test('short calls that write are served by one thread while it has room, all others by every thread', async () => {
  const threads = async (kind: 'reads' | 'writes', calls: number) =>
    new Set(await Promise.all(Array.from({ length: calls }, () => ref('replicated').threadFor(kind)))).size;
  assert.deepEqual([await threads('reads', 4), await threads('writes', 16), await threads('writes', 20)], [2, 1, 2]);
});

test('a refusal is left to the actor without a word; a bug is left to it and told', async () => {
  const before = lines.length;
  assert.equal(await outcome(of('a').deny()), 'PROBE_DENIED');
  assert.equal(lines.length, before);
  assert.equal(await outcome(of('a').bug()), 'INTERNAL');
  const told = lines.filter(({ key }) => key === 'beside');
  assert.deepEqual(
    told.map(({ level, method }) => [level, method]),
    [['warn', 'bug']],
  );
});

test('the part knows the request that it works for', async () => {
  const id = await callContext.run({ requestId: 'req-7' }, () => of('a').requestId());
  assert.equal(id, 'req-7');
});

test('calls are counted by how they end beside, and observed like those of the actor', async () => {
  const { counts } = runtime.groups.get('sharded')?.mailboxes[0]?.beside ?? assert.fail('there is no part');
  const { answered, left, failed } = counts;
  const seen = calls.length;
  await of('a').echo('x');
  await of('a').echo('left');
  await outcome(of('a').bug());
  assert.deepEqual(counts, { answered: answered + 1, left: left + 1, failed: failed + 1 });
  assert.deepEqual(
    calls.slice(seen).map(({ outcome: how }) => how),
    ['ok', 'ok', 'INTERNAL'],
  );
});

test('a part asks a peer of its actor; the fault of that call is the answer, and no second attempt follows', async () => {
  const { counts } = runtime.groups.get('asking')?.mailboxes[0]?.beside ?? assert.fail('there is no part');
  const asking = ref('asking').of('');
  assert.equal(await asking.ask('asked', 'a', 'hi'), 'asked:hi');
  const { answered, left, failed } = counts;
  const seen = calls.length;
  assert.equal(await outcome(asking.askSlow('slow', 'a')), 'DEADLINE');
  assert.deepEqual(counts, { answered: answered + 1, left, failed });
  assert.deepEqual(
    calls.slice(seen).map(({ actor, outcome: how }) => [actor, how]),
    [
      ['slow', 'DEADLINE'],
      ['asking', 'DEADLINE'],
    ],
  );
  // What the spec does not name is a bug, which is left to the actor, where it is one too.
  assert.equal(await outcome(asking.ask('plain', '0', 'hi')), 'INTERNAL');
});

test('a part that cannot start is told of, and the actor serves every call', async () => {
  assert.equal(await ref('broken').echo('x'), 'x');
  assert.ok(lines.some(({ level, actor }) => level === 'error' && actor === 'broken'));
});

test('where what crosses is copied, the part cannot change what its caller holds', async () => {
  const other = createRuntime({ probe: shardedProbe(1, { beside }) }, undefined, undefined, true);
  await other.runtime.start();
  const input = new Uint8Array(4);
  assert.deepEqual([...(await other.ref('probe').of('').bytes(input))], [7, 7, 7, 7]);
  assert.deepEqual([...input], [0, 0, 0, 0]);
  await other.runtime.stop();
});

test('where the thread does not know the database, no actor that needs it answers beside', async () => {
  const other = createRuntime({ reading: { ...shardedProbe(1, { beside }), store: true }, plain: shardedProbe(1, { beside }) }, '');
  await other.runtime.start();
  assert.equal(await other.ref('reading').of('').echo('x'), 'x');
  assert.equal(await other.ref('plain').of('').echo('x'), 'beside:x');
  await other.runtime.stop();
});

test('a sealed part opens when the key is there, and until then the actor says that it is sealed', async () => {
  const sealed = { now: true, open: () => {} };
  const opened = new Promise<void>((resolve) => {
    sealed.open = resolve;
  });
  const spec = { ...shardedProbe(1, { beside }), dataKeys: ['keys'] as const };
  const other = createRuntime({ probe: spec }, undefined, undefined, false, {
    dataKey() {
      if (sealed.now) throw new Fault('KEY_SERVER_SEALED');
      return new Uint8Array(32);
    },
    unsealed: () => opened,
  });
  await other.runtime.start();
  assert.equal(await outcome(other.ref('probe').of('').echo('x')), 'KEY_SERVER_SEALED');
  sealed.now = false;
  sealed.open();
  await until(async () => (await outcome(other.ref('probe').of('').echo('x'))) === 'beside:x', 'the part opens');
  await other.runtime.stop();
});

test('a stopped runtime answers nothing beside', async () => {
  const other = createRuntime({ probe: shardedProbe(1, { beside }) });
  await other.runtime.start();
  const probe = other.ref('probe').of('');
  assert.equal(await probe.echo('x'), 'beside:x');
  await other.runtime.stop();
  assert.equal(await outcome(probe.echo('x')), 'STOPPING');
});

test.run();
