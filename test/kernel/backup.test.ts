// Backups: made while the server serves, restored into either database, and refused where they are not what was written.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { test } from 'uvu';
import { backUp } from '../../kernel/backup/back-up.ts';
import { BackupError, FORMAT, FORMAT_VERSION } from '../../kernel/backup/format.ts';
import { readBackup } from '../../kernel/backup/read.ts';
import { restore } from '../../kernel/backup/restore.ts';
import { definePlugin } from '../../kernel/plugin.ts';
import { BUILT_IN } from '../../plugins/index.ts';
import { startServer, temporaryFolder } from '../server.ts';
import { testDatabases } from '../stores.ts';
import { check, checkAudit, type Filled, fill } from './filled-store.ts';

const databases = await testDatabases();
const folder = temporaryFolder();
const plugins = BUILT_IN;
let names = 0;

test.after(async () => {
  for (const database of databases) await database.stop();
  rmSync(folder, { recursive: true });
});

/** A data folder of its own, with a database that nothing has been in. */
async function place(dialect: 'sqlite' | 'postgres') {
  const dataDir = join(folder, `data${++names}`);
  const url = dialect === 'sqlite' ? 'sqlite:gatehouse.db' : await databases.find((database) => database.dialect === dialect)?.url();
  const config = `[store]\nurl = "${url}"\n`;
  const file = join(folder, `config${names}.toml`);
  writeFileSync(file, config);
  return { dataDir, config, options: { plugins, version: '0.0.0-test', argv: ['--config', file, '--data-dir', dataDir], env: {} } };
}

function putRootKey(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  copyFileSync(join(from, 'root.key'), join(to, 'root.key'));
}

const backups = new Map<string, { file: string; dataDir: string; filled: Filled }>();

for (const { dialect } of databases) {
  test(`${dialect}: a backup of a running server that writes at the same time`, async () => {
    const { dataDir, config, options } = await place(dialect);
    const file = join(folder, `${dialect}.backup`);
    const server = await startServer({ dataDir, config });
    const filled = await fill(server);
    const admin = (await server.ask('POST', '/login?realm=_', { user: 'admin:a new password' })).cookie;
    let isDone = false;
    const writes = (async () => {
      for (let n = 0; !isDone; n++)
        assert.equal((await server.ask('POST', '/v1/crypto/keys', { cookie: admin, body: { kty: 'oct', alg: 'A256GCM' } })).status, 200, `${n}`);
    })();
    assert.match(await backUp(options, file), /wrote \d+ rows of \d+ tables to .*; a restore also needs the root key [0-9a-f]{16}, which is not in the file/);
    isDone = true;
    await writes;
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const text = gunzipSync(readFileSync(file)).toString();
    assert.ok(!text.includes(readFileSync(join(dataDir, 'root.key'), 'utf8').trim()));
    await assert.rejects(backUp(options, file), /exists already, and a backup never replaces a file/);
    assert.ok(!existsSync(`${file}.partial`));
    await assert.rejects(backUp(options, join(folder, 'missing', 'backup')), /cannot be written/);
    const { events } = (await server.ask('GET', '/audit?event=server.backup', { cookie: admin })).body as { events: { outcome: string }[] };
    assert.deepEqual(
      events.map(({ outcome }) => outcome),
      ['success', 'success', 'failure'],
      'one that failed is told in the audit log',
    );
    const stopped = join(folder, 'stopped');
    await assert.rejects(backUp(options, stopped, AbortSignal.abort()), { name: 'BackupError', message: 'the backup was stopped, and no file is left of it' });
    assert.deepEqual([existsSync(stopped), existsSync(`${stopped}.partial`)], [false, false]);
    writeFileSync(`${stopped}.partial`, 'what another backup has written so far');
    await assert.rejects(backUp(options, stopped, AbortSignal.abort()), /the backup was stopped/);
    assert.ok(existsSync(`${stopped}.partial`), 'that of another backup stays');
    rmSync(`${stopped}.partial`);
    const within = join(file, 'backup');
    await assert.rejects(backUp(options, within), { name: 'BackupError', message: `${within} cannot be written (ENOTDIR)` });
    await server.end();
    backups.set(dialect, { file, dataDir, filled });
  });
}

for (const from of databases) {
  for (const to of databases) {
    test(`a backup of ${from.dialect} in ${to.dialect}: sealed data opens, users can sign in, and the audit log is complete`, async () => {
      const { file, dataDir: old, filled } = backups.get(from.dialect) as { file: string; dataDir: string; filled: Filled };
      const { dataDir, config, options } = await place(to.dialect);
      putRootKey(old, dataDir);
      assert.match(await restore(options, file), /^gatehouse: restored \d+ rows from the backup of /);
      const server = await startServer({ dataDir, config });
      await check(server, filled);
      await server.end();
      await checkAudit(/url = "(.*)"/.exec(config)?.[1] as string, dataDir, ['server.backup', 'server.restore']);
      await assert.rejects(restore(options, file), /the store is not empty: it has the table migration; a restore never overwrites data/);
      const again = await startServer({ dataDir, config });
      await again.end();
      // There and back: the tables say the same, but for what was written since.
      const second = join(folder, `${from.dialect}-${to.dialect}.backup`);
      await backUp(options, second);
      const columns = (path: string) =>
        [
          ...gunzipSync(readFileSync(path))
            .toString()
            .matchAll(/^\{"table":.*$/gm),
        ].map(([line]) => line);
      assert.deepEqual(columns(second), columns(file));
      const sealedRows = (path: string) =>
        gunzipSync(readFileSync(path))
          .toString()
          .split('\n')
          .filter((line) => line.includes(filled.kid));
      assert.deepEqual(sealedRows(second), sealedRows(file));
    });
  }
}

async function refused(change: (lines: string[], file: Buffer) => string[] | Buffer, words: RegExp, withRootKey = true): Promise<void> {
  const { file, dataDir: old } = backups.get('sqlite') as { file: string; dataDir: string };
  const packed = readFileSync(file);
  const changed = change(gunzipSync(packed).toString().trimEnd().split('\n'), packed);
  const bad = join(folder, 'bad.backup');
  writeFileSync(bad, Buffer.isBuffer(changed) ? changed : gzipSync(`${changed.join('\n')}\n`));
  const { dataDir, options } = await place('sqlite');
  if (withRootKey) putRootKey(old, dataDir);
  await assert.rejects(restore(options, bad), (error: Error) => {
    assert.ok(error instanceof BackupError);
    assert.match(error.message, words);
    return true;
  });
  // Nothing was made.
  assert.deepEqual(existsSync(dataDir) ? readdirSync(dataDir) : [], withRootKey ? ['root.key'] : []);
}

const header = (members: Record<string, unknown>) => (lines: string[]) => [
  JSON.stringify({ ...JSON.parse(lines[0] as string), ...members }),
  ...lines.slice(1),
];

/** A file whose digest is right, as somebody without the root key could write it. */
function withDigest(lines: string[], rows: number): string[] {
  const end = JSON.parse(lines.at(-1) as string);
  const before = lines.slice(0, -1);
  const sha256 = createHash('sha256')
    .update(`${before.join('\n')}\n`)
    .digest('hex');
  return [...before, JSON.stringify({ ...end, rows: end.rows + rows, sha256 })];
}

test('an incomplete, damaged or newer backup is refused with a clear message, and nothing is created', async () => {
  await refused((_, file) => file.subarray(0, file.length >> 1), /is incomplete: it ends too early/);
  await refused((_, file) => file.subarray(0, 5), /is incomplete/);
  await refused((lines) => lines.slice(0, -1), /is incomplete: its end is missing/);
  await refused(() => Buffer.from('not a backup'), /is not a backup of gatehouse/);
  await refused(() => ['{"format":"something else"}'], /is not a backup of gatehouse/);
  await refused((lines) => [...lines.slice(0, 40), ...lines.slice(41)], /is damaged/);
  await refused((lines) => lines.map((line) => line.replace('"team"', '"mate"')), /is damaged/);
  await refused((lines) => [...lines, '[]'], /is damaged/);
  await refused((_, file) => {
    const flipped = Buffer.from(file);
    flipped[file.length >> 1] = (flipped[file.length >> 1] as number) ^ 1;
    return flipped;
  }, /is damaged|is incomplete/);
  // Behind the ten bytes by which a file of gzip begins: before its first line is read.
  await refused((_, file) => Buffer.concat([file.subarray(0, 10), Buffer.from([0xff]), file.subarray(11)]), /is damaged/);
  await refused(header({ version: 2 }), /has format 2 of gatehouse 0.0.0-test, but this version reads format 1/);
  await refused(
    header({ migrations: { kernel: 1_000 } }),
    /the backup has migration kernel\/1000, but this version knows migrations up to kernel\/\d+; use the newer version/,
  );
  await refused(header({ migrations: { kernel: 2, other: 1 } }), /tables of the plugin other, which is not configured here/);
});

test('a file that turns out to be damaged while its rows are stored is refused like any other', async () => {
  const path = join(folder, 'damaged.backup');
  const lines = [
    { format: FORMAT, version: FORMAT_VERSION, root_key: 'k', migrations: {} },
    { table: 'thing', columns: ['name'] },
  ];
  const rows = Array.from({ length: 200 }, () => [randomBytes(1_000).toString('base64')]);
  const packed = gzipSync([...lines, ...rows].map((line) => `${JSON.stringify(line)}\n`).join(''));
  packed.fill(0, packed.length - 20_000, packed.length - 10_000);
  writeFileSync(path, packed);
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  let stored = 0;
  const row = async () => {
    // As a database does; the file is read on meanwhile.
    for (let turns = 0; turns < 5; turns += 1) await setImmediate();
    stored += 1;
  };
  await assert.rejects(readBackup(path, { row }), /is damaged/);
  process.off('unhandledRejection', note);
  assert.deepEqual(unhandled, []);
  assert.ok(stored > 0 && stored < rows.length);
});

test('a change of a backup without the root key is detected', async () => {
  await refused(
    (lines) =>
      withDigest(
        lines.map((line) => line.replace('"team"', '"mate"')),
        0,
      ),
    /was changed after it was made/,
  );
  await refused((lines) => {
    const at = lines.findIndex((line) => line.startsWith('{"table":"realm"'));
    return withDigest([...lines.slice(0, at), '{"table":"other","columns":["a"]}', ...lines.slice(at)], 0);
  }, /is damaged: its migrations do not make the table other/);
});

test('a file that changes between its two readings is refused, even if its new digest is right', async () => {
  const { file, dataDir: old } = backups.get('sqlite') as { file: string; dataDir: string };
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n');
  const other = withDigest(
    lines.map((line) => line.replace('"team"', '"mate"')),
    0,
  );
  const changing = join(folder, 'changing.backup');
  copyFileSync(file, changing);
  const { dataDir, options } = await place('sqlite');
  putRootKey(old, dataDir);
  // The text of a migration is read before each reading of the file.
  let looks = 0;
  const watched = BUILT_IN.map((plugin) =>
    plugin.name === 'keys'
      ? {
          ...plugin,
          migrations: (plugin.migrations ?? []).map((migration) => ({
            ...migration,
            get sql() {
              looks += 1;
              if (looks > (plugin.migrations ?? []).length) writeFileSync(changing, gzipSync(`${other.join('\n')}\n`));
              return migration.sql;
            },
          })),
        }
      : plugin,
  );
  await assert.rejects(restore({ ...options, plugins: watched }, changing), /was changed while it was read/);
  assert.ok(!readdirSync(dataDir).some((name) => name.startsWith('gatehouse.db')));
});

test('without the right root key a restore is refused, and the message names the key that it needs', async () => {
  const id = JSON.parse(
    gunzipSync(readFileSync((backups.get('sqlite') as { file: string }).file))
      .toString()
      .split('\n')[0] as string,
  ).root_key as string;
  await refused((_, file) => file, new RegExp(`the backup needs the root key ${id}, and there is none here; put it into .*root\\.key or configure it`), false);
  const { dataDir, options } = await place('sqlite');
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'root.key'), Buffer.alloc(32, 1).toString('base64'));
  await assert.rejects(
    restore(options, (backups.get('sqlite') as { file: string }).file),
    new RegExp(`the root key here is [0-9a-f]{16}, which does not open the data keys of the backup; use the root key ${id}`),
  );
  assert.deepEqual(readdirSync(dataDir), ['root.key']);
});

test('a restore that fails halfway leaves nothing behind', async () => {
  const { file, dataDir: old } = backups.get('sqlite') as { file: string; dataDir: string };
  const { dataDir, options } = await place('sqlite');
  putRootKey(old, dataDir);
  // The same migrations by number, but a rule that the rows break.
  const strict = BUILT_IN.map((plugin) =>
    plugin.name === 'keys'
      ? {
          ...plugin,
          migrations: (plugin.migrations ?? []).map((m) => ({
            ...m,
            sql: `${typeof m.sql === 'string' ? m.sql : m.sql.sqlite}; CREATE UNIQUE INDEX one_owner_${m.id} ON kms_object (owner)`,
          })),
        }
      : plugin,
  );
  await assert.rejects(restore({ ...options, plugins: strict }, file), /UNIQUE/);
  assert.ok(!readdirSync(dataDir).some((name) => name.startsWith('gatehouse.db')));
  assert.match(await restore(options, file), /restored \d+ rows/);
});

test('a backup of an older version is restored at its own level, and brought up to date by the next start', async () => {
  const { file, dataDir: old, filled } = backups.get('sqlite') as { file: string; dataDir: string; filled: Filled };
  const { dataDir, config, options } = await place('sqlite');
  putRootKey(old, dataDir);
  const newer = BUILT_IN.map((plugin) =>
    plugin.name === 'keys'
      ? definePlugin({
          ...plugin,
          migrations: [
            ...(plugin.migrations ?? []),
            { id: (plugin.migrations?.at(-1)?.id ?? 0) + 1, about: 'more', sql: 'ALTER TABLE kms_grant ADD COLUMN more BIGINT NOT NULL DEFAULT 7' },
          ],
        })
      : plugin,
  );
  await restore({ ...options, plugins: newer }, file);
  const server = await startServer({ dataDir, config, plugins: newer });
  await check(server, filled);
  await server.end();
  const second = join(folder, 'newer.backup');
  await assert.rejects(
    backUp(options, second),
    /the database has migration keys\/\d+, but this version knows migrations up to keys\/\d+; use the newer version/,
  );
  assert.ok(!existsSync(second));
});

test('without a database a backup is refused, and no database is created', async () => {
  const { dataDir, options } = await place('sqlite');
  await assert.rejects(backUp(options, join(folder, 'none.backup')), /there is no database .* to back up/);
  assert.ok(!existsSync(dataDir));
  for (const { dialect } of databases.filter((database) => database.dialect === 'postgres')) {
    const empty = await place(dialect);
    await assert.rejects(backUp(empty.options, join(folder, 'none.backup')), /no tables of gatehouse yet/);
  }
  const { dataDir: old } = backups.get('sqlite') as { dataDir: string };
  const lost = await place('sqlite');
  mkdirSync(lost.dataDir);
  copyFileSync(join(old, 'gatehouse.db'), join(lost.dataDir, 'gatehouse.db'));
  await assert.rejects(backUp(lost.options, join(folder, 'none.backup')), /does not open the data keys of the database/);
  await assert.rejects(backUp({ ...lost.options, argv: ['--config', '/nonexistent'] }, join(folder, 'none.backup')), /cannot be read/);
  await assert.rejects(restore(lost.options, join(folder, 'nowhere')), /nowhere cannot be read \(ENOENT\)/);
});

test.run();
