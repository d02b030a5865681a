// Backup, restore and copy with a database that is away, or does not let them in: a sentence that names it, as at a start.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'uvu';
import { backUp } from '../../kernel/backup/back-up.ts';
import { copyStore } from '../../kernel/backup/copy.ts';
import { restore } from '../../kernel/backup/restore.ts';
import { BUILT_IN } from '../../plugins/index.ts';
import { startPostgres } from '../postgres.ts';
import { startServer, temporaryFolder } from '../server.ts';
import { skipWithout } from '../system.ts';

/** Nobody listens there. */
const AWAY = 'postgres://127.0.0.1:1/gatehouse';
const folder = temporaryFolder();
const dataDir = join(folder, 'data');
const file = join(folder, 'store.backup');

const options = (url: string | undefined, ...more: readonly string[]) => ({
  plugins: BUILT_IN,
  version: '0.0.0-test',
  argv: ['--data-dir', dataDir, ...more],
  env: url === undefined ? {} : { GATEHOUSE_STORE_URL: url },
});
const failed = (told: RegExp | string) => ({ name: 'BackupError', message: told });
const copy = (from: string | undefined, to: string) => copyStore(options(from, '--copy-store', to), () => {});

test.before(async () => {
  await (await startServer({ dataDir })).end();
  await backUp(options(undefined), file);
});

test('a database that is away', async () => {
  const away = (job: string) => failed(`${job} failed: the database cannot be reached: connect ECONNREFUSED 127.0.0.1:1`);
  await assert.rejects(backUp(options(AWAY), join(folder, 'other.backup')), away('the backup'));
  await assert.rejects(restore(options(AWAY), file), away('the restore'));
  await assert.rejects(copy(AWAY, 'sqlite:copy.db'), away('the copy'));
  await assert.rejects(copy(undefined, AWAY), away('the copy'));
});

test('a database that is not there: the text names the setting that names it', async () => {
  if (skipWithout('postgresql')) return;
  const postgres = await startPostgres();
  try {
    const url = new URL(await postgres.database());
    url.pathname = '/none';
    await assert.rejects(backUp(options(url.href), join(folder, 'other.backup')), failed(/^the backup failed: .*: see \[store\] url$/));
    await assert.rejects(copy(url.href, 'sqlite:copy.db'), failed(/^the copy failed: .*: see \[store\] url$/));
    await assert.rejects(copy(undefined, url.href), failed(/^the copy failed: .*: see --copy-store$/));
  } finally {
    await postgres.stop();
  }
});

test('files of TLS that cannot be read', async () => {
  const url = `${AWAY}?sslmode=verify-full&sslrootcert=${join(folder, 'none.pem')}`;
  const unread = { name: 'ConfigError', message: /store\.url: sslrootcert: ENOENT/ };
  await assert.rejects(backUp(options(url), join(folder, 'other.backup')), unread);
  await assert.rejects(restore(options(url), file), unread);
});

test.run();
