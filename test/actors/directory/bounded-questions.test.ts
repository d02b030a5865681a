// What is asked in the transaction of every change reads a row or two, however many realms and admins there are.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'uvu';
import { administers, requireAdministration, requireSuperAdmin } from '../../../actors/directory/administered.ts';
import { keepSuperAdmin } from '../../../actors/directory/last-super-admin.ts';
import { openStore } from '../../../kernel/store/open.ts';
import type { Reader, SqlValue, Store, Transaction } from '../../../kernel/store/store.ts';
import { people } from '../../people.ts';
import { outcome } from '../../runtime.ts';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';
import { testDatabases } from '../../stores.ts';

const databases = await testDatabases();
const MANY = 300;
const MAX_STATEMENTS = 6;

for (const database of databases) {
  let server: TestServer;
  let store: Store;
  const name = (text: string) => `${database.dialect}: ${text}`;

  /** Counts what `ask` reads. @returns rows and statements, and how it ended */
  async function read(ask: (reader: Reader) => Promise<unknown>) {
    const told = { rows: 0, statements: [] as [string, readonly SqlValue[]][] };
    const noted = async <T>(sql: string, params: readonly SqlValue[], rows: Promise<T[]>): Promise<T[]> => {
      told.statements.push([sql, params]);
      told.rows += (await rows).length;
      return rows;
    };
    const reader: Reader = {
      all: <T extends object>(sql: string, params: readonly SqlValue[] = []) => noted(sql, params, store.all<T>(sql, params)),
      get: async <T extends object>(sql: string, params: readonly SqlValue[] = []) => (await noted(sql, params, store.all<T>(sql, params)))[0],
    };
    const ended = await outcome(ask(reader));
    assert.ok(told.rows <= MAX_STATEMENTS && told.statements.length <= MAX_STATEMENTS, `${told.rows} rows of ${told.statements.length} statements`);
    for (const [sql, params] of told.statements) await requireIndexed(sql, params);
    return ended;
  }

  /** None of them walks through a table, as far as the database says what it does. */
  async function requireIndexed(sql: string, params: readonly SqlValue[]): Promise<void> {
    if (store.dialect !== 'sqlite') return;
    const plan = (await store.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params)).map(({ detail }) => detail);
    // Certificates and tokens that have signed in to `_` are few, and each is a way in.
    const walks = plan.filter((detail) => detail.startsWith('SCAN') && !detail.startsWith('SCAN proven_way'));
    assert.deepEqual(walks, [], sql);
  }

  test(name('many realms, and many records of super admins that nobody signs in with'), async () => {
    const url = database.dialect === 'sqlite' ? undefined : await database.url();
    server = await startServer(url === undefined ? {} : { config: `[store]\nurl = "${url}"` });
    const they = people(server, await signInAdmin(server));
    await they.realm('r');
    await they.realmAdmin('r', 'eve');
    store = await openStore(url ?? `sqlite:${join(server.dataDir, 'gatehouse.db')}`, { writer: 'test/bounded-questions', clock: server.clock });
    await store.transaction(async (tx) => {
      for (let at = 0; at < MANY; at++) {
        await tx.run("INSERT INTO admin (id, userpass, client_certificate) VALUES ($1, 'nobody', $1)", [`a${at}`]);
        await tx.run("INSERT INTO admin_realm (admin, realm) VALUES ($1, '_')", [`a${at}`]);
        await tx.run("INSERT INTO admin_account (admin, account, realm) VALUES ($1, '_/cc:' || $1, '_')", [`a${at}`]);
        await tx.run("INSERT INTO realm VALUES ($1, '{}', 60, 60, 60, 0)", [`r${at}`]);
        await tx.run("INSERT INTO admin_realm (admin, realm) VALUES ('r-eve', $1)", [`r${at}`]);
      }
    });
  });

  test(name('whether a super admin is left who can sign in'), async () => {
    const keep = (isAsked: boolean) => read((reader) => keepSuperAdmin(reader as Transaction, isAsked));
    assert.equal(await keep(true), undefined);
    await store.transaction((tx) => tx.run("UPDATE admin SET userpass = 'another' WHERE id = 'admin'"));
    assert.equal(await keep(true), 'AUTH_LAST_SUPER_ADMIN');
    await store.transaction((tx) => tx.run("INSERT INTO proven_way (account, scheme, proven_at) VALUES ('_/cc:a7', 'cc', 1)"));
    assert.equal(await keep(true), undefined);
    // Nobody is asked for certificates any more.
    assert.equal(await keep(false), 'AUTH_LAST_SUPER_ADMIN');
    await store.transaction((tx) => tx.run("UPDATE admin SET userpass = 'admin' WHERE id = 'admin'"));
    assert.equal(await keep(false), undefined);
  });

  test(name('who administers a realm, or all of them'), async () => {
    const may = (account: string, realms: readonly string[]) =>
      read((reader) => requireAdministration(reader, { realm: account.split('/')[0] as string, account }, realms));
    assert.equal(await may('_/admin', ['_', 'r', 'r7', 'r8']), undefined);
    assert.equal(await may('_/eve', ['r', 'r7', 'r8']), undefined);
    assert.equal(await may('_/eve', ['r', 'nowhere']), 'FORBIDDEN');
    assert.equal(await may('_/eve', ['_']), 'FORBIDDEN');
    assert.equal(await may('_/eve', []), 'FORBIDDEN');
    assert.equal(await may('r/eve', ['r']), undefined);
    assert.equal(await may('r/eve', ['r', 'r7']), 'FORBIDDEN');
    assert.equal(await may('r7/eve', ['r7']), 'FORBIDDEN');
    for (const [account, isOne] of [
      ['_/admin', true],
      ['_/eve', false],
      ['r/eve', false],
    ] as const) {
      const ended = await read((reader) => requireSuperAdmin(reader, { realm: account.split('/')[0] as string, account }));
      assert.equal(ended, isOne ? undefined : 'FORBIDDEN', account);
      await read(async (reader) => assert.equal(await administers(reader, { realm: account.split('/')[0] as string, account }, 'r'), true, account));
    }
  });

  test(name('the server ends'), async () => {
    await store.close();
    await server.end();
  });
}

test('the databases are stopped', async () => {
  for (const database of databases) await database.stop();
});

test.run();
