// The same suite on SQLite and PostgreSQL: transactions, isolation, grouping, audit chains, migrations.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { type AuditRow, auditHash } from '../../../kernel/store/audit.ts';
import { migrate, withKernel } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/store/open.ts';
import { isUniqueViolation, type Store } from '../../../kernel/store/store.ts';
import { testDatabases } from '../../stores.ts';

const clock = createClock();
const databases = await testDatabases({ isOwn: true });
const TABLE = { owner: 'sample', migrations: [{ id: 1, about: 'items', sql: 'CREATE TABLE item (id TEXT PRIMARY KEY, n BIGINT NOT NULL, bytes BYTEA)' }] };

async function open(url: string, writer = 'w'): Promise<Store> {
  const store = await openStore(url, { writer, clock });
  await migrate(store, [TABLE], () => clock.now());
  return store;
}

const insert = (store: Store, id: string, n = 0) => store.transaction((tx) => tx.run('INSERT INTO item (id, n) VALUES ($1, $2)', [id, n]));
const ids = async (store: Store) => (await store.all<{ id: string }>('SELECT id FROM item ORDER BY id')).map(({ id }) => id);

test.after(async () => {
  for (const database of databases) await database.stop();
});

for (const database of databases) {
  const name = (text: string) => `${database.dialect}: ${text}`;

  test(name('values come back as they went in'), async () => {
    const store = await open(await database.url());
    const bytes = new Uint8Array([0, 1, 255]);
    await store.transaction((tx) => tx.run('INSERT INTO item (id, n, bytes) VALUES ($1, $2, $3)', ["it's", Number.MAX_SAFE_INTEGER, bytes]));
    const row = await store.get<{ id: string; n: number; bytes: Uint8Array }>('SELECT id, n, bytes FROM item WHERE id = $1', ["it's"]);
    assert.deepEqual([row?.id, row?.n, [...(row?.bytes ?? [])]], ["it's", Number.MAX_SAFE_INTEGER, [0, 1, 255]]);
    assert.equal(row?.bytes.byteLength, row?.bytes.buffer.byteLength);
    assert.equal(await store.get('SELECT id FROM item WHERE id = $1', ['none']), undefined);
    await store.close();
  });

  test(name('a transaction that throws is undone, and nobody else of its group is'), async () => {
    const store = await open(await database.url());
    const outcomes = await Promise.allSettled([
      insert(store, 'a'),
      store.transaction(async (tx) => {
        await tx.run('INSERT INTO item (id, n) VALUES ($1, 1)', ['b']);
        throw new Error('changed my mind');
      }),
      insert(store, 'a'),
      insert(store, 'c'),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
    );
    assert.ok(isUniqueViolation((outcomes[2] as PromiseRejectedResult).reason));
    assert.deepEqual(await ids(store), ['a', 'c']);
    await store.close();
  });

  test(name('a group runs once; it runs again only if one of it fails, and then each has its savepoint'), async () => {
    const store = await open(await database.url());
    const runs = new Map<string, number>();
    const counted = (id: string, isRefused = false) =>
      store.transaction(async (tx) => {
        runs.set(id, (runs.get(id) ?? 0) + 1);
        await tx.run('INSERT INTO item (id, n) VALUES ($1, 0)', [id]);
        await tx.audit({ event: 'sample', outcome: 'success', target: id });
        if (isRefused) throw new Error('refused');
      });
    await Promise.all([counted('a'), counted('b'), counted('c')]);
    const outcomes = await Promise.allSettled([counted('d'), counted('e', true), counted('f')]);
    const careful = await Promise.allSettled([counted('g'), counted('h', true), counted('i')]);
    assert.deepEqual(Object.fromEntries(runs), { a: 1, b: 1, c: 1, d: 2, e: 2, f: 1, g: 1, h: 1, i: 1 });
    for (const group of [outcomes, careful])
      assert.deepEqual(
        group.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
    assert.deepEqual(await ids(store), ['a', 'b', 'c', 'd', 'f', 'g', 'i']);
    const rows = await store.all<AuditRow>("SELECT * FROM audit WHERE stream = 'w' ORDER BY seq");
    assert.deepEqual(
      rows.map(({ target }) => target),
      ['a', 'b', 'c', 'd', 'f', 'g', 'i'],
    );
    assert.deepEqual(
      rows.map(({ prev }) => prev),
      ['', ...rows.slice(0, -1).map(auditHash)],
    );
    await store.close();
  });

  test(name('a read sees committed rows only'), async () => {
    const store = await open(await database.url());
    let seen: string[] | undefined;
    await store.transaction(async (tx) => {
      await tx.run('INSERT INTO item (id, n) VALUES ($1, 1)', ['a']);
      seen = await ids(store);
      assert.equal((await tx.all('SELECT id FROM item')).length, 1);
    });
    assert.deepEqual(seen, []);
    assert.deepEqual(await ids(store), ['a']);
    await store.close();
  });

  test(name('transactions of several writers count without a gap'), async () => {
    const url = await database.url();
    const first = await open(url, 'first');
    const second = await open(url, 'second');
    await insert(first, 'counter');
    const bump = (store: Store) =>
      store.transaction(async (tx) => {
        const row = await tx.get<{ n: number }>("SELECT n FROM item WHERE id = 'counter'");
        await tx.run("UPDATE item SET n = $1 WHERE id = 'counter'", [(row?.n ?? 0) + 1]);
      });
    for (let round = 0; round < 20; round++) await Promise.all([bump(first), bump(first), bump(second), bump(second)]);
    assert.equal((await first.get<{ n: number }>("SELECT n FROM item WHERE id = 'counter'"))?.n, 80);
    await Promise.all([first.close(), second.close()]);
  });

  test(name('audit rows number and chain their stream, whatever is undone between'), async () => {
    const url = await database.url();
    const store = await open(url, 'node/session/0');
    const event = (target: string) => ({ event: 'sample', outcome: 'success', target }) as const;
    await Promise.allSettled([
      store.transaction((tx) => tx.audit(event('1'))),
      store.transaction(async (tx) => {
        await tx.audit(event('undone'));
        throw new Error('no');
      }),
      store.transaction((tx) => tx.audit(event('2'))),
    ]);
    await store.close();
    const again = await open(url, 'node/session/0');
    await again.transaction((tx) => tx.audit(event('3')));
    const rows = await again.all<AuditRow>('SELECT * FROM audit WHERE stream = $1 ORDER BY seq', ['node/session/0']);
    assert.deepEqual(
      rows.map(({ seq, target }) => [seq, target]),
      [
        [1, '1'],
        [2, '2'],
        [3, '3'],
      ],
    );
    assert.deepEqual(
      rows.map(({ prev }) => prev),
      ['', ...rows.slice(0, -1).map(auditHash)],
    );
    const other = await open(url, 'node/session/1');
    await other.transaction((tx) => tx.audit(event('1')));
    assert.equal((await other.get<{ seq: number }>("SELECT seq FROM audit WHERE stream = 'node/session/1'"))?.seq, 1);
    await Promise.all([again.close(), other.close()]);
  });

  test(name('migrations run once, in order, also when nodes start together'), async () => {
    const url = await database.url();
    const stores = await Promise.all([1, 2, 3].map((n) => openStore(url, { writer: `w${n}`, clock })));
    const applied = await Promise.all(stores.map((store) => migrate(store, [TABLE], () => clock.now())));
    const [store] = stores as [Store];
    assert.equal(
      applied.reduce((sum, count) => sum + count, 0),
      withKernel([TABLE]).reduce((sum, { migrations }) => sum + migrations.length, 0),
    );
    const broken = { owner: 'sample', migrations: [...TABLE.migrations, { id: 2, about: 'broken', sql: 'CREATE TABLE half (id TEXT); CREATE NONSENSE' }] };
    await assert.rejects(
      migrate(store, [broken], () => 0),
      /migration sample\/2 \(broken\) failed/,
    );
    await assert.rejects(store.get('SELECT id FROM half'));
    const mended = {
      owner: 'sample',
      migrations: [...TABLE.migrations, { id: 2, about: 'mended', sql: { sqlite: 'CREATE TABLE half (id TEXT)', postgres: 'CREATE TABLE half (id TEXT)' } }],
    };
    assert.equal(await migrate(store, [mended], () => 0), 1);
    await assert.rejects(
      migrate(store, [TABLE], () => 0),
      /start the newer version that made it/,
    );
    await Promise.all(stores.map((each) => each.close()));
  });

  test(name('a new database whose last migration fails is still new: it gets all of them the next time'), async () => {
    const store = await openStore(await database.url(), { writer: 'w', clock });
    const more = (sql: string) => ({ owner: 'sample', migrations: [...TABLE.migrations, { id: 2, about: 'more', sql }] });
    await assert.rejects(
      migrate(store, [more('CREATE NONSENSE')], () => 0),
      /migration sample\/2 \(more\) failed/,
    );
    assert.deepEqual(await store.all('SELECT id FROM migration'), []);
    await assert.rejects(store.get('SELECT id FROM item'));
    const all = withKernel([TABLE]).reduce((sum, { migrations }) => sum + migrations.length, 1);
    assert.equal(await migrate(store, [more('CREATE TABLE more (id TEXT)')], () => 0), all);
    await store.close();
  });

  test(name('a lock of a transaction excludes the others of that name'), async () => {
    const url = await database.url();
    const stores = await Promise.all([open(url, 'a'), open(url, 'b')]);
    const first = (store: Store) =>
      store.transaction(
        async (tx) => {
          if (await tx.get("SELECT id FROM item WHERE id = 'first'")) return false;
          await tx.run("INSERT INTO item (id, n) VALUES ('first', 1)");
          return true;
        },
        { lock: 'first' },
      );
    const made = await Promise.all([...stores, ...stores].map(first));
    assert.equal(made.filter(Boolean).length, 1);
    await Promise.all(stores.map((store) => store.close()));
  });

  test(name('what was committed is there after the connection that wrote it is lost'), async () => {
    if (!database.postgres) return;
    const store = await open(await database.url());
    await insert(store, 'before');
    await database.postgres.crash();
    const failed = (await insert(store, 'during').catch((error: unknown) => error)) as { code: string };
    assert.equal(failed.code, 'UNAVAILABLE');
    assert.equal(((await ids(store).catch((error: unknown) => error)) as { code: string }).code, 'UNAVAILABLE');
    await database.postgres.start();
    await insert(store, 'after');
    assert.deepEqual(await ids(store), ['after', 'before']);
    await store.close();
  });
}

test.run();
