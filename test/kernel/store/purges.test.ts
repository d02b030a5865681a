// What deletes rows that have ended finds them by an index on both databases, a thousand at a time, and leaves those that are still good.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { KNOWN_MS, purgeCounters } from '../../../actors/directory/lockout.ts';
import { purgeResults } from '../../../actors/kmip/asynchronous/rows.ts';
import { purgeTickets } from '../../../actors/kmip/tickets.ts';
import { purgeRows } from '../../../actors/session/rows.ts';
import { purgeSecretIds } from '../../../actors/token/secret-ids.ts';
import { purgeTokens } from '../../../actors/token/tokens.ts';
import { migrationsAt, tablesOf } from '../../../kernel/backup/schema.ts';
import { migrationSets } from '../../../kernel/catalog/migrations.ts';
import { createClock } from '../../../kernel/clock.ts';
import { purgeAudit } from '../../../kernel/store/audit-query.ts';
import { migrate, migrationLevels } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/store/open.ts';
import type { SqlValue, Store, Transaction } from '../../../kernel/store/store.ts';
import { BUILT_IN } from '../../../plugins/index.ts';
import { testDatabases } from '../../stores.ts';

const databases = await testDatabases();
test.after(async () => {
  for (const database of databases) await database.stop();
});

const DAY_MS = 86_400_000;
const NOW = 1_000 * DAY_MS;
const MOST = 1_000;
const [ENDED, GOOD] = [1_003, 7] as const;
const POLICY = { windowMs: 60_000 } as Parameters<typeof purgeCounters>[1];

/** @param over what deletes them @param columns with values of the n-th row, whose end is at the given time */
interface Kept {
  readonly table: string;
  readonly columns: string;
  readonly row: (n: string, end: number) => string;
  readonly over: (store: Store) => Promise<unknown>;
}

const bytes = "CAST('a' AS BYTEA)";
const COUNTER = 'realm, username, factor, source, failures, window_started_at, locked_until';
const SECRET_ID = 'accessor, digest, role, created_at, expires_at, num_uses, uses, exhausted_at';

const ALL: readonly Kept[] = [
  {
    table: 'kms_asynchronous',
    columns: 'id, owner, batch, position, operation, stage, submitted_at, ended_at, bytes',
    row: (n, end) => `${n}, 'o', ${n}, 0, 1, 3, 1, ${end}, 0`,
    over: (store) => purgeResults(store, NOW, 0),
  },
  {
    table: 'kms_ticket',
    columns: 'hash, owner, issued_at, ends_at',
    row: (n, end) => `${n}, ${n}, 1, ${end / 1000}`,
    over: (store) => purgeTickets(store, NOW / 1000),
  },
  {
    table: 'session',
    columns: 'id, cookie_hash, realm, username, scheme, created_at, seen_at, max_age_seconds, max_stale_age_seconds, claims',
    row: (n, end) => `${n}, ${bytes}, 'r', 'u', 'up', ${end - 1_000}, ${end}, 1, 100, '{}'`,
    over: (store) => purgeRows(store, NOW, undefined),
  },
  {
    table: 'app_token',
    columns: 'digest, accessor, kind, role, entity, policies, created_at, expires_at, lease_seconds, max_expires_at',
    row: (n, end) => `${n}, ${n}, 'approle', 'role', 'e', '[]', 1, ${end}, 1, 1`,
    over: (store) => purgeTokens(store, NOW),
  },
  { table: 'secret_id', columns: SECRET_ID, row: (n, end) => `${n}, ${n}, 'role', 1, ${end}, 0, 0, 0`, over: (store) => purgeSecretIds(store, NOW) },
  ...['lockout', 'lockout_nobody'].map(
    (table): Kept => ({
      table,
      columns: COUNTER,
      row: (n, end) => `'r', 'u', 'password', ${n}, 1, ${end - POLICY.windowMs}, ${end}`,
      over: (store) => purgeCounters(store, POLICY, NOW),
    }),
  ),
  {
    table: 'login_source',
    columns: 'realm, username, source, completed_at',
    row: (n, end) => `'r', 'u', ${n}, ${end - KNOWN_MS}`,
    over: (store) => purgeCounters(store, POLICY, NOW),
  },
  {
    table: 'audit',
    columns: 'stream, seq, time, event, outcome, prev',
    row: (n, end) => `'s' || ${end}, CAST(substr(${n}, 2) AS BIGINT), ${end - 30 * DAY_MS}, 'e', 'success', ''`,
    over: (store) => purgeAudit(store, 30, NOW),
  },
];

/** Tables whose rows do not end by themselves, each with what limits them. */
const STAYING: Readonly<Record<string, string>> = {
  account: 'no account gets the name of an earlier one for its own',
  data_key: 'one for each purpose',
  data_key_generation: 'one for each four thousand million seals',
  hsm_slot: 'one for each slot of a node',
  migration: 'one for each migration',
  node_lease: 'the nodes delete those that are gone',
  proven_way: 'one for each account of realm _',
  signing_key: 'retired ones are deleted with the next rotation',
  ...Object.fromEntries(['auth_usage', 'kms_usage', 'kms_usage_room'].map((table) => [table, 'as many as there are scopes of what is counted'])),
  ...Object.fromEntries(
    ['realm', 'userpass', 'totp', 'admin', 'admin_account', 'admin_realm', 'approle', 'cluster_role'].map((table) => [table, 'administrators']),
  ),
  ...Object.fromEntries(['ai_base', 'ai_reference', 'ai_passage', 'ai_vectors'].map((table) => [table, 'who may use the base'])),
  kms_policy: 'one for each caller that has set one',
  kms_reservation: 'one for each key on a token that a node was making when it was killed, until somebody makes that key',
  kms_rewrapping: 'each look at what is due goes on with those that have stopped, and deletes them',
  ...Object.fromEntries(['kms_object', 'kms_attribute', 'kms_grant'].map((table) => [table, 'quotas; KMIP shows what was destroyed'])),
};

async function fill(store: Store, { table, columns, row }: Kept): Promise<void> {
  const rows = (count: number, mark: string, end: number) =>
    `INSERT INTO ${table} (${columns}) WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count}) SELECT ${row(`'${mark}' || n`, end)} FROM numbers`;
  await store.transaction(async (tx) => {
    await tx.run(rows(ENDED, 'e', NOW - 5_000));
    await tx.run(rows(GOOD, 'g', NOW + 90_000));
  });
}

/** PostgreSQL goes through tables as small as these one by one unless it is kept from it; a scan that is left then has no index. */
async function planOf(store: Store, sql: string, params: readonly SqlValue[]): Promise<string[]> {
  if (store.dialect === 'sqlite') return (await store.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params)).map(({ detail }) => detail);
  return store.transaction(async (tx) => {
    await tx.run('SET LOCAL enable_seqscan = off');
    return (await tx.all<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, params)).map((line) => line['QUERY PLAN'].trim());
  });
}

/** A walk through a whole table, with an index or without. */
const isWalk = (line: string): boolean => /^SCAN (?!numbers)|Seq Scan on/.test(line);

for (const database of databases) {
  let store: Store;
  test(`${database.dialect}: the rows`, async () => {
    store = await openStore(await database.url(), { writer: 'test', clock: createClock() });
    await migrate(store, migrationSets(BUILT_IN), () => 1);
    await store.transaction(async (tx) => {
      await tx.run("INSERT INTO realm VALUES ('r', '{}', 60, 60, 60, 0)");
      await tx.run(
        "INSERT INTO userpass (realm, username, password_hash, change_password, roles, password_set_at, revision) VALUES ('r', 'u', '', 0, '[]', 1, 1)",
      );
      await tx.run(
        "INSERT INTO approle (name, role_id, token_ttl_seconds, token_max_ttl_seconds, token_policies, secret_id_ttl_seconds, bind_secret_id) VALUES ('role', 'id', 1, 1, '[]', 1, 1)",
      );
    });
    for (const kept of ALL) await fill(store, kept);
  });

  test(`${database.dialect}: every table says how its rows go`, async () => {
    const sets = migrationSets(BUILT_IN);
    const tables = tablesOf(migrationsAt(await migrationLevels(store), sets, 'the database')).map(({ table }) => table);
    assert.deepEqual([...ALL.map(({ table }) => table), ...Object.keys(STAYING)].sort(), tables.toSorted());
  });

  for (const kept of ALL)
    test(`${database.dialect}: of ${kept.table}`, async () => {
      const asked: [string, readonly SqlValue[]][] = [];
      const deleted: number[] = [];
      const watched = (tx: Transaction): Transaction => ({
        ...tx,
        async run(sql, params = []) {
          asked.push([sql, params]);
          const rows = await tx.run(sql, params);
          deleted.push(rows);
          return rows;
        },
      });
      await kept.over({
        ...store,
        get: (sql, params = []) => {
          asked.push([sql, params]);
          return store.get(sql, params);
        },
        transaction: (work, options) => store.transaction((tx) => work(watched(tx)), options),
      });
      // The newest row of the stream stays, because the next one goes on from it.
      const left = kept.table === 'audit' ? GOOD + 1 : GOOD;
      assert.equal((await store.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${kept.table}`))?.n, left);
      assert.ok(Math.max(...deleted) <= MOST && deleted.length >= 2, deleted.join());
      for (const [sql, params] of asked) assert.deepEqual((await planOf(store, sql, params)).filter(isWalk), [], sql);
    });

  test(`${database.dialect}: nothing is left open`, () => store.close());
}

test.run();
