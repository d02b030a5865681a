// Transactions that run together on PostgreSQL: one statement inserts the rows of all, and each is as whole and as alone as if it had run by itself.
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { type AuditRow, auditHash } from '../../../kernel/store/audit.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/store/open.ts';
import { insertSql } from '../../../kernel/store/row-insert.ts';
import { isUniqueViolation, type SqlValue, type Store, type Transaction } from '../../../kernel/store/store.ts';
import { together as settled } from '../../../kernel/store/together.ts';
import { openWire, type Wire } from '../../../soak/wire.ts';
import { type Postgres, startPostgres } from '../../postgres.ts';
import { skipWithout } from '../../system.ts';

const INSERT = insertSql({ table: 'sample', columns: { id: 'TEXT', owner: 'TEXT', number: 'BIGINT', bytes: 'BYTEA' } });
const ANN = 'ann';
const together = { together: true } as const;

if (!skipWithout('postgresql')) {
  let postgres: Postgres;
  let wire: Wire;
  let store: Store;
  /** Another connection, past the wire. */
  let other: Store;
  const clock = createClock();

  test.before(async () => {
    postgres = await startPostgres();
    const url = await postgres.database();
    other = await openStore(url, { writer: 'other', clock });
    await migrate(other, [], () => clock.now());
    await other.transaction((tx) => tx.exec('CREATE TABLE sample (id TEXT PRIMARY KEY, owner TEXT NOT NULL, number BIGINT, bytes BYTEA)'));
    wire = await openWire(url);
    store = await openStore(wire.url, { writer: 'w', clock });
  });
  test.before.each(async () => {
    await other.transaction((tx) => tx.run('DELETE FROM sample'));
    // Groups after one with a refusal have savepoints for a while, and do not run together.
    for (let group = 0; group < 40; group++) await store.transaction((tx) => tx.get('SELECT 1 AS one'));
  });
  test.after(async () => {
    wire?.heal();
    await store?.close();
    await other?.close();
    await wire?.close();
    await postgres?.stop();
  });

  const add = async (tx: Transaction, id: string, values: readonly SqlValue[] = [null, null]) => {
    await Promise.all([tx.run(INSERT, [id, ANN, ...values]), tx.audit({ event: 'sample.add', outcome: 'success', target: id })]);
  };
  const ids = async () => (await other.all<{ id: string }>('SELECT id FROM sample ORDER BY id')).map(({ id }) => id);
  /** Targets of the audit rows of these stores, whose streams have no gap. */
  const audited = async () => {
    const all = await other.all<AuditRow>('SELECT * FROM audit ORDER BY stream, seq');
    for (const [at, row] of all.entries()) {
      const before = all[at - 1];
      assert.equal(row.prev, before?.stream === row.stream ? auditHash(before) : '', `row ${row.seq} of ${row.stream} continues the one before`);
    }
    return all.map(({ target }) => target);
  };
  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: Error & { code?: string }) => (isUniqueViolation(error) ? 'taken' : (error.code ?? error.message)),
    );

  test('the rows of a group are inserted by one statement, and a question of all is asked once', async () => {
    const counts = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        store.transaction(async (tx) => {
          await add(tx, `one-${String(at).padStart(2, '0')}`);
          return tx.all('SELECT COUNT(*) AS n FROM sample WHERE owner = $1', [ANN]);
        }, together),
      ),
    );
    assert.equal(new Set(counts).size, 1, 'the very answer is shared');
    assert.deepEqual(counts[0], [{ n: 20 }]);
    const [told] = await other.all('SELECT COUNT(DISTINCT xmin::text) AS transactions, COUNT(DISTINCT cmin::text) AS statements FROM sample');
    assert.deepEqual(told, { transactions: 1, statements: 1 });
    assert.equal((await audited()).filter((target) => target?.startsWith('one-')).length, 20);
  });

  test('values arrive as they would alone: bytes, nulls, large numbers, quotes, and signs that arrays have', async () => {
    const values: readonly (readonly SqlValue[])[] = [
      [null, null],
      [Number.MAX_SAFE_INTEGER, new Uint8Array([0, 34, 92, 255])],
      [-1, new Uint8Array()],
      [0, new Uint8Array(300_000).fill(7)],
    ];
    const texts = ['{a,"b"}', 'NULL', 'back\\slash " and \' and ,', '\u{1f511} \n\u0000'];
    await Promise.all(values.map((each, at) => store.transaction((tx) => add(tx, `g:${texts[at]}`, each), together)));
    for (const [at, each] of values.entries()) await store.transaction((tx) => add(tx, `s:${texts[at]}`, each));
    const rows = await other.all<{ id: string; number: number | null; bytes: Uint8Array | null }>('SELECT id, number, bytes FROM sample');
    const of = (prefix: string) => new Map(rows.flatMap(({ id, ...rest }) => (id.startsWith(prefix) ? [[id.slice(2), rest] as const] : [])));
    assert.deepEqual(of('g:'), of('s:'));
    assert.deepEqual([of('g:').size, of('g:').get(texts[1] as string)], [4, { number: values[1]?.[0], bytes: values[1]?.[1] }]);
  });

  test('of a group with one that is refused, the others are there with their audit rows, and that one is not', async () => {
    await other.transaction((tx) => tx.run(INSERT, ['b', ANN, null, null]));
    const before = (await audited()).length;
    const outcomes = await Promise.all(['a', 'b', 'c', 'd'].map((id) => outcome(store.transaction((tx) => add(tx, id), together))));
    assert.deepEqual(outcomes, ['done', 'taken', 'done', 'done']);
    assert.deepEqual(
      [await ids(), (await audited()).slice(-3)],
      [
        ['a', 'b', 'c', 'd'],
        ['a', 'c', 'd'],
      ],
    );
    assert.equal((await audited()).length, before + 3);
  });

  test('one that throws before it has asked anything makes nobody run again', async () => {
    const runs: string[] = [];
    const work = (id: string, throws: boolean) =>
      outcome(
        store.transaction(async (tx) => {
          runs.push(id);
          if (throws) throw new Error('its own');
          await add(tx, id);
        }, together),
      );
    assert.deepEqual(await Promise.all([work('e', false), work('f', true), work('g', false)]), ['done', 'its own', 'done']);
    assert.deepEqual(
      [await ids(), runs],
      [
        ['e', 'g'],
        ['e', 'f', 'g'],
      ],
    );
  });

  test('one that throws after its statements leaves nothing, and the others are there', async () => {
    const work = (id: string, throws: boolean) =>
      outcome(
        store.transaction(async (tx) => {
          await add(tx, id);
          if (throws) throw new Error('its own');
        }, together),
      );
    assert.deepEqual(await Promise.all([work('h', true), work('i', false), work('j', false)]), ['its own', 'done', 'done']);
    assert.deepEqual(await ids(), ['i', 'j']);
    assert.equal((await audited()).includes('h'), false);
  });

  test('two connections whose groups fill the same room to its limit make as many as there is room for', async () => {
    const [most, tried] = [30, 80];
    const make = (at: number) =>
      outcome(
        (at % 2 === 0 ? store : other).transaction(async (tx) => {
          await add(tx, `room-${at}`);
          const row = await tx.get<{ n: number }>('SELECT COUNT(*) AS n FROM sample WHERE owner = $1', [ANN]);
          if (Number(row?.n) > most) throw new Error('full');
        }, together),
      );
    const outcomes = await Promise.all(Array.from({ length: tried }, (_, at) => make(at)));
    const count = (what: string) => outcomes.filter((each) => each === what).length;
    assert.deepEqual([count('done'), count('full'), (await ids()).length], [most, tried - most, most]);
    assert.equal((await audited()).filter((target) => target?.startsWith('room-')).length, most);
  });

  test('those that may run together do, and all keep the order in which they came', async () => {
    const order: string[] = [];
    const work = (id: string, options?: { lock?: string; together?: true }) =>
      store.transaction(async (tx) => {
        order.push(`${id} begins`);
        await tx.get('SELECT 1 AS one');
        order.push(`${id} ends`);
      }, options);
    await Promise.all([work('1', together), work('2', together), work('3'), work('4', { lock: 'a lock' }), work('5', together), work('6', together)]);
    const told = (ids: readonly string[]) => [...ids.map((id) => `${id} begins`), ...ids.map((id) => `${id} ends`)];
    assert.deepEqual(order, [...told(['1', '2']), ...told(['3']), ...told(['4']), ...told(['5', '6'])]);
  });

  test('a connection that is lost before the commit leaves nothing of the group, and the next group goes on', async () => {
    const lost = ['k', 'l', 'm'].map((id) =>
      outcome(
        store.transaction(async (tx) => {
          await add(tx, id);
          if (id !== 'm') return;
          wire.hangUp();
          wire.heal();
          await turn();
        }, together),
      ),
    );
    for (const told of await Promise.all(lost)) assert.match(told, /^(ACTOR_LOST|UNAVAILABLE)$/);
    await Promise.all(['n', 'o'].map((id) => store.transaction((tx) => add(tx, id), together)));
    assert.deepEqual(
      [await ids(), (await audited()).slice(-2)],
      [
        ['n', 'o'],
        ['n', 'o'],
      ],
    );
  });
}

test('of statements that were sent together, the one that the database refused is told, wherever it stands', async () => {
  const refused = (code: string) => Promise.reject(Object.assign(new Error(code), { code }));
  await assert.rejects(settled([Promise.resolve(), refused('25P02'), refused('40001'), refused('25P02')]), { code: '40001' });
  await assert.rejects(settled([refused('23505'), refused('25P02')]), { code: '23505' });
  await assert.rejects(settled([Promise.resolve(), refused('25P02')]), { code: '25P02' });
});

test.run();
