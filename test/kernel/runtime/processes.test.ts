// Actors in processes: what they write makes void what the server's threads have cached before the answer is there, and what others write, what they have.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'uvu';
import { pinned, type Remote, replicated, sharded } from '../../../kernel/actor.ts';
import { createClock } from '../../../kernel/clock.ts';
import { CHANGES } from '../../../kernel/runtime/told-versions.ts';
import { WAIT_MS } from '../../../kernel/store/lease.ts';
import { LeaseLink } from '../../../kernel/store/lease-link.ts';
import { openStore } from '../../../kernel/store/open.ts';
import { createVersions } from '../../../kernel/versions.ts';
import { IS_ON_POSTGRES, postgresDatabase } from '../../database.ts';
import type { WriterApi } from '../../fakes/writer.actor.ts';
import { createRuntime, memoryLog, outcome, until } from '../../runtime.ts';
import { temporaryFolder } from '../../server.ts';

const module = new URL('../../fakes/writer.actor.ts', import.meta.url);
const common = { module, deadlineMs: 20_000, process: true, store: true, memoryMb: 64 } as const;
const specs = {
  one: pinned<WriterApi, null>({ ...common, instances: { a: null } }),
  shard: sharded<WriterApi, null>({ ...common, shards: 1, args: null }),
  many: replicated<WriterApi, null>({
    ...common,
    size: 2,
    args: null,
    restart: { max: 50, withinMs: 60_000, firstDelayMs: 10, maxDelayMs: 50, retryMs: 60_000 },
  }),
};

async function storeUrl(): Promise<string> {
  const folder = temporaryFolder();
  const url = (await postgresDatabase(folder)) ?? `sqlite:${folder}/written.db`;
  const store = await openStore(url, { writer: 'test', clock: createClock() });
  await store.transaction((tx) =>
    tx.exec('CREATE TABLE written (name TEXT NOT NULL); CREATE TABLE node_lease (node TEXT PRIMARY KEY, term TEXT NOT NULL, beat BIGINT NOT NULL);'),
  );
  await store.close();
  return url;
}

const url = await storeUrl();
process.env['GATEHOUSE_STORE_ROOT_KEY'] = 'not for a process of an actor';
const { runtime, versions, ref } = createRuntime(specs, url);
const remotes: Readonly<Record<string, () => Remote<WriterApi>>> = {
  pinned: () => ref('one').at('a'),
  sharded: () => ref('shard').of('any'),
  replicated: () => ref('many'),
};

test.before(() => runtime.start());
test.after(() => runtime.stop());

if (process.platform === 'linux')
  test('where memory is out, the kernel rather ends a process of an actor than the server', async () => {
    const scoreOf = (pid: number | 'self') => Number(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8'));
    assert.equal(scoreOf((await remotes['pinned']?.().pid()) as number), Math.min(1_000, scoreOf('self') + 500));
  });

for (const [kind, remote] of Object.entries(remotes)) {
  test(`${kind}: the counters of the server have moved when the answer is there`, async () => {
    assert.notEqual(await remote().pid(), process.pid);
    for (let round = 0; round < 20; round += 1) {
      const [before, other] = [versions.read('x'), versions.read('y')];
      await remote().write('x');
      assert.deepEqual([versions.read('x') === before, versions.read('y') === other], [false, true], `round ${round}`);
    }
    const before = versions.read('y');
    await remote().writeAll();
    assert.notEqual(versions.read('y'), before);
  });

  test(`${kind}: what it compares cached rows by changes with every commit of others, and not by itself`, async () => {
    const seen = [await remote().version('x'), await remote().version('x')];
    if (IS_ON_POSTGRES) return assert.deepEqual(seen, [Number.NaN, Number.NaN]);
    // A process may have any number; two replicas have two.
    if (kind !== 'replicated') assert.equal(seen[0], seen[1]);
    const other = new DatabaseSync(url.slice('sqlite:'.length));
    other.exec("INSERT INTO written (name) VALUES ('by another')");
    other.close();
    if (kind !== 'replicated') assert.notEqual(await remote().version('x'), seen[0]);
    const own = await remote().version('x');
    await remote().write('z');
    if (kind !== 'replicated') assert.notEqual(await remote().version('x'), own);
  });
}

test('a process gets the few variables that libraries read, and none of the server', async () => {
  const names = await ref('one').at('a').env();
  assert.deepEqual(
    names.filter((name) => name.startsWith('GATEHOUSE_')),
    [],
  );
  assert.ok(!names.includes('PATH'));
});

test('a native abort costs its own calls; what it may have written is void, and its place is taken', async () => {
  const { supervisors } = runtime.groups.get('many') as NonNullable<ReturnType<typeof runtime.groups.get>>;
  const before = versions.read('unrelated');
  assert.equal(await outcome(ref('many').abort()), 'ACTOR_LOST');
  const calls = await Promise.all(Array.from({ length: 20 }, () => outcome(ref('many').write('x'))));
  assert.deepEqual([...new Set(calls)], [undefined]);
  await until(
    () => supervisors.reduce((sum, { restarts }) => sum + restarts, 0) === 1 && supervisors.every(({ state }) => state === 'running'),
    'it runs again',
  );
  assert.notEqual(versions.read('unrelated'), before);
});

if (IS_ON_POSTGRES) {
  test('a write in a process is answered when a node with a lease has seen it, not when that lease ends', async () => {
    const { log } = memoryLog();
    const here = new LeaseLink({ url, node: 'test', origin: 'here', versions, log });
    const others = createVersions();
    others.trust.share();
    const there = new LeaseLink({ url, node: 'other', origin: 'there', versions: others, log });
    const two = createRuntime({ one: specs.one }, url, 'test', false, { versions, store: { url, origin: 'here' } });
    await Promise.all([here.started(), there.started(), two.runtime.start()]);
    await until(() => others.trust.isTrusted && versions.trust.isListed, 'the other node trusts its caches', 15_000);
    const before = others.read('x');
    const askedAt = performance.now();
    await two.ref('one').at('a').write('x');
    assert.notEqual(others.read('x'), before);
    assert.ok(performance.now() - askedAt < WAIT_MS, `${performance.now() - askedAt} ms`);
    await two.runtime.stop();
    await Promise.all([here.close(), there.close()]);
  });
}

test('the numbers of changes of two processes and of the threads differ', () => {
  const { trust } = createVersions();
  const firsts = [trust.reserveChanges(CHANGES), trust.nextChange(), trust.reserveChanges(CHANGES), trust.nextChange()];
  assert.deepEqual(firsts, [1, CHANGES + 1, CHANGES + 2, 2 * CHANGES + 2]);
});

test.run();
