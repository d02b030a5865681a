// `--copy-store` from each database into the other: killed half-way, gone on with, compared row by row, and refused where something would be lost.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { examine } from '../../command/doctor/doctor.ts';
import { backUp } from '../../kernel/backup/back-up.ts';
import { copyStore } from '../../kernel/backup/copy.ts';
import { BackupError } from '../../kernel/backup/format.ts';
import { createClock } from '../../kernel/clock.ts';
import { openStore } from '../../kernel/store/open.ts';
import type { Store } from '../../kernel/store/store.ts';
import { BUILT_IN } from '../../plugins/index.ts';
import { exitOf, launch } from '../e2e/started.ts';
import { startServer, temporaryFolder } from '../server.ts';
import { testDatabases } from '../stores.ts';
import { check, checkAudit, checkKeys, fill } from './filled-store.ts';

const databases = await testDatabases();
const folder = temporaryFolder();
let dataDir: string;
/** More than two transactions of a copy. */
const AUDIT_ROWS = 30_000;
let names = 0;

test.before.each(() => {
  dataDir = join(folder, `data${++names}`);
});

test.after(async () => {
  for (const database of databases) await database.stop();
  rmSync(folder, { recursive: true });
});

async function freshUrl(dialect: 'sqlite' | 'postgres'): Promise<string> {
  if (dialect === 'sqlite') return `sqlite:copy${++names}.db`;
  return (await databases.find((database) => database.dialect === dialect)?.url()) as string;
}

const configOf = (url: string) => `[store]\nurl = "${url}"\n`;
const absolute = (url: string) => url.replace(/^sqlite:/, `sqlite:${dataDir}/`);

const UNFINISHED = /the target of a copy that has not finished; run the same --copy-store again/;

function configFile(url: string): string {
  const file = join(folder, `config${++names}.toml`);
  writeFileSync(file, configOf(url));
  return file;
}

const argumentsOf = (from: string, to: string) => ['--config', configFile(from), '--data-dir', dataDir, '--copy-store', to];
const jobOptions = (argv: readonly string[]) => ({ plugins: BUILT_IN, version: '0.0.0-test', argv, env: {} });
const copy = (from: string, to: string): Promise<string> => copyStore(jobOptions(argumentsOf(from, to)), () => {});

async function withStore<T>(url: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(absolute(url), { writer: 'test', clock: createClock() });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Ends the process when part of the audit log has arrived. */
async function copyAndKill(from: string, to: string): Promise<void> {
  const [, , , , ...flags] = argumentsOf(from, to);
  const { child, output } = launch(dataDir, ['--config', join(folder, `config${names}.toml`), ...flags]);
  const arrived = (store: Store) =>
    store.get<{ done: number }>("SELECT done FROM unfinished_copy WHERE name = 'audit'").then(
      (row) => row?.done ?? 0,
      () => 0,
    );
  await withStore(to, async (store) => {
    while ((await arrived(store)) === 0) {
      assert.equal(child.exitCode, null, output.text);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    child.kill('SIGKILL');
    await exitOf(child);
    const rows = await arrived(store);
    assert.ok(rows > 0 && rows < AUDIT_ROWS, `${rows}`);
  });
}

const refuses = (run: Promise<unknown>, words: RegExp) =>
  assert.rejects(run, (error: Error) => {
    assert.ok(error instanceof BackupError, String(error));
    assert.match(error.message, words);
    return true;
  });

const other = databases.at(-1)?.dialect as 'sqlite' | 'postgres';

test(`from SQLite to ${other} and back: killed half-way, gone on with, and all of it is there`, async () => {
  const [first, second, third] = [await freshUrl('sqlite'), await freshUrl(other), await freshUrl('sqlite')];
  const server = await startServer({ dataDir, config: configOf(first) });
  const filled = await fill(server);
  // A server of this data folder could write what the copy would not have.
  await assert.rejects(copy(first, second), /another gatehouse is using it/);
  await server.end();
  await withStore(first, (store) =>
    store.transaction(async (tx) => {
      for (let n = 0; n < AUDIT_ROWS; n += 1) await tx.audit({ event: 'test.row', outcome: 'success', target: `${n} \u{1f511} \u00e9` });
      await tx.run("INSERT INTO node_lease (node, term, beat) VALUES ('lost', 'lost', 1)");
    }),
  );
  await copyAndKill(first, second);
  await assert.rejects(startServer({ dataDir, config: configOf(second) }), UNFINISHED);
  await refuses(backUp(jobOptions(['--config', configFile(second), '--data-dir', dataDir]), join(folder, 'half.backup')), UNFINISHED);
  await refuses(copy(second, await freshUrl('sqlite')), UNFINISHED);
  const doctor = await examine({ config: configFile(second), dataDir }, {}, Date.now());
  assert.ok(doctor.some(({ state, about, says }) => state === 'problem' && about === 'database' && UNFINISHED.test(says)));
  // None of these has written to it.
  assert.match(await copy(first, second), /copied \d{5} rows of \d+ tables and compared each; set \[store\] url to the new database/);
  assert.equal(await withStore(second, (store) => store.get('SELECT node FROM node_lease')), undefined, 'nobody holds a lease of the copy');
  const moved = await startServer({ dataDir, config: configOf(second) });
  await check(moved, filled);
  await moved.end();
  await checkAudit(second, dataDir, ['server.copy']);
  await copy(second, third);
  const back = await startServer({ dataDir, config: configOf(third) });
  await checkKeys(back, filled);
  await back.end();
});

test('a row that is not as in the source is named, and the database does not become a store', async () => {
  const [from, to] = [await freshUrl('sqlite'), await freshUrl(other)];
  const server = await startServer({ dataDir, config: configOf(from) });
  await server.end();
  await withStore(from, (store) =>
    store.transaction(async (tx) => {
      for (let n = 0; n < AUDIT_ROWS; n += 1) await tx.audit({ event: 'test.row', outcome: 'success', target: `${n}` });
    }),
  );
  await copyAndKill(from, to);
  // Rows that come before those that have arrived, as a server of the source makes them that runs again meanwhile.
  const run = (sql: string) => withStore(from, (store) => store.transaction((tx) => tx.run(sql)));
  await run(`UPDATE audit SET seq = seq - ${AUDIT_ROWS} WHERE stream = 'test' AND seq > ${AUDIT_ROWS / 2}`);
  await refuses(copy(from, to), /differs from the source: row \d+ of the table audit .* empty the new database and copy again/);
  await run(`UPDATE audit SET seq = seq + ${AUDIT_ROWS} WHERE stream = 'test' AND seq <= 0`);
  await withStore(to, (store) => store.transaction((tx) => tx.run("UPDATE audit SET outcome = 'failure' WHERE stream = 'test' AND seq = 1")));
  await refuses(copy(from, to), /differs from the source: row \d+ of the table audit differs in the column outcome; .* empty the new database and copy again/);
  await assert.rejects(startServer({ dataDir, config: configOf(to) }), /copy that has not finished/);
});

test('nothing is overwritten, and what cannot be copied is named', async () => {
  const from = await freshUrl('sqlite');
  mkdirSync(dataDir, { recursive: true });
  await refuses(copy(from, await freshUrl(other)), /there is no database .* to copy; check --data-dir and store\.url/);
  const server = await startServer({ dataDir, config: configOf(from) });
  await server.end();
  await refuses(copy(from, from), /names the database of \[store\] url itself/);
  await assert.rejects(copy(from, 'mysql://x'), /--copy-store: must begin with sqlite: or postgres:/);
  const taken = await freshUrl(other);
  writeFileSync(join(dataDir, 'empty.db'), '');
  await refuses(copy('sqlite:empty.db', await freshUrl('sqlite')), /no tables of gatehouse yet, so there is nothing to copy/);
  await refuses(backUp(jobOptions(['--config', configFile('sqlite:empty.db'), '--data-dir', dataDir]), join(folder, 'empty.backup')), /nothing to back up/);
  await copy(from, taken);
  await refuses(copy(from, taken), /the new database is not empty: it has the table \w+; a copy never overwrites data/);
  if (other !== 'postgres') return;
  const elsewhere = await startServer({
    dataDir: join(folder, 'elsewhere'),
    config: `${configOf(taken)}root_key = { file = "${join(dataDir, 'root.key')}" }\n`,
  });
  await refuses(copy(taken, await freshUrl('sqlite')), /servers use the database: stop all of them first/);
  await elsewhere.end();
});

test.run();
