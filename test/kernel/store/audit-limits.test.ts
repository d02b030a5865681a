// Rows of refusals on both databases: texts of bounded length without control characters, and so many of each source, the rest summed up.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { createClock, type LocalClock } from '../../../kernel/clock.ts';
import { type AuditEvent, type AuditRow, auditHash } from '../../../kernel/store/audit.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/store/open.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { until } from '../../runtime.ts';
import { testDatabases } from '../../stores.ts';

const MINUTE_MS = 60_000;
/** Rows that one source may cause at once, and all sources of one stream. */
const [SOURCE_BURST, TOTAL_BURST] = [200, 2_000];

const databases = await testDatabases();
test.after(async () => {
  for (const database of databases) await database.stop();
});

interface Opened {
  readonly store: Store;
  readonly clock: LocalClock;
  rows(): Promise<AuditRow[]>;
  pass(ms: number): void;
  refuse(source: string, times: number, event?: Partial<AuditEvent>): Promise<void>;
}

async function open(url: string): Promise<Opened> {
  const clock = createClock();
  // Time for measuring passes when the test says so, and not with a machine that is busy.
  let monotonic = 0;
  const store = await openStore(url, { writer: 'node/x/0', clock: { ...clock, monotonic: () => monotonic } });
  await migrate(store, [], () => clock.now());
  return {
    store,
    clock,
    rows: () => store.all<AuditRow>('SELECT * FROM audit ORDER BY seq'),
    pass(ms) {
      monotonic += ms;
      Atomics.add(clock.offset, 0, BigInt(ms));
      void clock.fireDue();
    },
    async refuse(source, times, event = {}) {
      const one = { event: 'login', outcome: 'refused', actor: 'unknown', source, ...event } as const;
      await Promise.all(Array.from({ length: times }, () => store.transaction((tx) => tx.audit(one))));
    },
  };
}

const chained = (rows: readonly AuditRow[]) =>
  rows.every(({ prev, seq }, at) => seq === at + 1 && prev === (at === 0 ? '' : auditHash(rows[at - 1] as AuditRow)));
const of = (rows: readonly AuditRow[], event: string) => rows.filter((row) => row.event === event);

for (const { dialect, url } of databases) {
  test(`${dialect}: stored texts are cut visibly at a length and hold no characters special to terminals or databases`, async () => {
    const { store, rows } = await open(await url());
    const nasty = `a\u0000b\u001b[2Jc\nd\u0085e\u2028f\u202eg\ud800h`;
    const long = 'x'.repeat(15_000);
    const event = { event: 'login', outcome: 'refused' } as const;
    await store.transaction((tx) => tx.audit({ ...event, realm: nasty, actor: nasty, scheme: nasty, source: nasty, target: nasty, reason: nasty }));
    await store.transaction((tx) => tx.audit({ ...event, event: long, realm: long, actor: long, scheme: long, source: long, target: long, reason: long }));
    await store.transaction((tx) => tx.audit({ ...event, actor: 'ann é \u200d 🔑', target: '🔑'.repeat(2_000) }));
    const [first, second, third] = (await rows()) as [AuditRow, AuditRow, AuditRow];
    const texts = (row: AuditRow) => [row.realm, row.actor, row.scheme, row.source, row.target, row.reason].map(String);
    for (const text of texts(first)) assert.equal(text, 'a\ufffdb\ufffd[2Jc\ufffdd\ufffde\ufffdf\ufffdg\ufffdh');
    for (const text of [second.event, ...texts(second)]) {
      assert.ok(text.length <= 1_100, `${text.length}`);
      assert.match(text, /^x+…\[15000\]$/);
    }
    assert.equal(third.actor, 'ann é \u200d 🔑');
    assert.ok(third.target?.isWellFormed());
    assert.ok(chained([first, second, third]));
    await store.close();
  });

  test(`${dialect}: a source has a limited number of rows, changes always have theirs, and one row counts the rest`, async () => {
    const { store, rows, pass, refuse } = await open(await url());
    await refuse('203.0.113.9', 700);
    await refuse('203.0.113.9', 300, { event: 'key.Get' });
    await refuse('198.51.100.1', 3);
    await Promise.all(
      Array.from({ length: 400 }, () => store.transaction((tx) => tx.audit({ event: 'session.end', outcome: 'success', source: '203.0.113.9' }))),
    );
    const before = await rows();
    assert.equal(of(before, 'login').filter(({ source }) => source === '203.0.113.9').length, SOURCE_BURST);
    assert.equal(of(before, 'login').filter(({ source }) => source === '198.51.100.1').length, 3);
    assert.deepEqual([of(before, 'key.Get').length, of(before, 'session.end').length, of(before, 'audit.suppressed').length], [0, 400, 0]);
    pass(MINUTE_MS);
    await until(async () => of(await rows(), 'audit.suppressed').length === 1, 'the sum is written');
    const [sum] = of(await rows(), 'audit.suppressed') as [AuditRow];
    assert.deepEqual([sum.target, sum.source, sum.outcome, sum.request_id], ['800 rows', '203.0.113.9', 'success', null]);
    assert.match(sum.reason ?? '', /^login 500, key\.Get 300; from 203\.0\.113\.9 800; since 20\d\d-/);
    // A minute later there is room for some again, and nothing is summed up where nothing was left out.
    await refuse('203.0.113.9', 5);
    pass(2 * MINUTE_MS);
    await store.transaction((tx) => tx.audit({ event: 'last', outcome: 'success' }));
    const after = await rows();
    assert.deepEqual([of(after, 'audit.suppressed').length, of(after, 'login').length], [1, SOURCE_BURST + 3 + 5]);
    assert.ok(chained(after));
    await store.close();
  });

  test(`${dialect}: networks are one source, and many sources together are bounded too`, async () => {
    const { store, rows, refuse } = await open(await url());
    for (let host = 1; host <= 4; host++) await refuse(`2001:db8:1:2::${host}`, 100);
    assert.equal((await rows()).length, SOURCE_BURST);
    for (let host = 0; host < 250; host++) await refuse(`10.0.0.${host}`, 10);
    assert.equal((await rows()).length, TOTAL_BURST);
    await store.close();
  });

  test(`${dialect}: an undone transaction uses up no rows, and closing the store writes the count of the others`, async () => {
    const address = await url();
    const { store, rows, refuse } = await open(address);
    const undone = (source: string, times: number) =>
      Promise.allSettled(
        Array.from({ length: times }, () =>
          store.transaction(async (tx) => {
            await tx.audit({ event: 'login', outcome: 'failure', source });
            throw new Error('undone');
          }),
        ),
      );
    await undone('203.0.113.9', 300);
    await refuse('203.0.113.9', SOURCE_BURST);
    assert.equal((await rows()).length, SOURCE_BURST);
    await undone('203.0.113.9', 50);
    await refuse('203.0.113.9', 7);
    await store.close();
    const reopened = await open(address);
    const all = await reopened.rows();
    assert.deepEqual([of(all, 'login').length, of(all, 'audit.suppressed').map(({ target }) => target)], [SOURCE_BURST, ['7 rows']]);
    assert.ok(chained(all));
    await reopened.store.close();
  });
}

test.run();
