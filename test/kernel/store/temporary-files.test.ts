// What SQLite keeps to undo a statement holds pages of the database, so it must not be in a temporary file outside of the data folder.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { openStore } from '../../../kernel/store/open.ts';
import { testDatabases } from '../../stores.ts';

/** Linux lists the open files of a process here, those without a name among them. */
const OPEN = '/proc/self/fd';

const openFiles = (): string[] =>
  readdirSync(OPEN).flatMap((name) => {
    try {
      return [readlinkSync(join(OPEN, name))];
    } catch {
      // It is closed by now: the folder itself.
      return [];
    }
  });

const databases = await testDatabases();
test.after(async () => {
  for (const database of databases) await database.stop();
});

const run = existsSync(OPEN) ? test : test.skip;

run('sqlite: a large change opens no file besides those of the database', async () => {
  const store = await openStore((await databases[0]?.url()) ?? '', { writer: 'w', clock: createClock() });
  await store.transaction((tx) => tx.exec('CREATE TABLE item (id TEXT PRIMARY KEY, n BIGINT NOT NULL, bytes BYTEA)'));
  await store.transaction(async (tx) => {
    for (let n = 0; n < 500; n++) await tx.run('INSERT INTO item (id, n, bytes) VALUES ($1, $2, $3)', [`item ${n}`, n, new Uint8Array(1_000)]);
  });
  const before = openFiles();
  assert.ok(
    before.some((path) => path.endsWith('-wal')),
    'the files of the database are among the open ones',
  );
  await store.transaction(async (tx) => {
    await tx.run('UPDATE item SET n = n + $1, bytes = $2', [1, new Uint8Array(1_001)]);
    await tx.run('SAVEPOINT large', []);
    await tx.run('UPDATE item SET n = n + $1, bytes = $2', [1, new Uint8Array(1_002)]);
    assert.deepEqual(
      openFiles().filter((path) => !before.includes(path)),
      [],
    );
  });
  await store.close();
});

test.run();
