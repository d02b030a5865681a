// `doctor`, `config check` and `backup` where the data folder cannot be looked at: a file, a link to itself, or the folder of another user.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { root } from '../e2e/started.ts';
import { temporaryFolder } from '../server.ts';

const home = temporaryFolder();
const [file, loop] = [join(home, 'file'), join(home, 'loop')];
test.before(() => {
  writeFileSync(file, '');
  symlinkSync(loop, loop);
});
test.after(() => rmSync(home, { recursive: true }));

const run = (...args: string[]) =>
  spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', 'command/main.ts', ...args], { cwd: root, encoding: 'utf8' });

test('doctor says so and ends with 8: it ended with what a call of the system said', () => {
  for (const [dataDir, says] of [
    [file, 'is not a folder'],
    [join(file, 'data'), 'cannot be read (ENOTDIR)'],
    [loop, 'cannot be read (ELOOP)'],
  ] as const) {
    const { status, stdout, stderr } = run('doctor', '--data-dir', dataDir);
    assert.equal(status, 8, stderr);
    assert.ok(stdout.includes(`PROBLEM  data folder: ${dataDir} ${says}\n`), stdout);
  }
});

test('config check refuses it with 8', () => {
  for (const [dataDir, says] of [
    [file, 'is not a folder'],
    [loop, 'cannot be read \\(ELOOP\\)'],
  ] as const) {
    const { status, stderr } = run('config', 'check', '--data-dir', dataDir);
    assert.equal(status, 8, stderr);
    assert.match(stderr, new RegExp(`data folder.*: .*${says}`));
  }
});

test('backup tells a database that cannot be looked at from one that is not there', () => {
  const backup = (dataDir: string) => run('backup', join(home, 'x.backup'), '--data-dir', dataDir).stderr;
  assert.match(backup(join(home, 'none')), /there is no database .*gatehouse\.db to back up/);
  assert.match(backup(loop), /the database .*gatehouse\.db cannot be read \(ELOOP\)/);
});

/** Root may do everything. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const asNobody = (...args: string[]) =>
  spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], { cwd: root, encoding: 'utf8', ...NOBODY }).stderr;

test('a database, or a file beside it, that this user may not write is named by all that open it', () => {
  const dataDir = temporaryFolder();
  const own = (path: string) => NOBODY.uid !== undefined && chownSync(path, NOBODY.uid, NOBODY.gid);
  own(dataDir);
  for (const name of ['gatehouse.db', 'gatehouse.db-wal', 'gatehouse.db-shm', 'gatehouse.db.lock']) {
    const path = join(dataDir, name);
    writeFileSync(path, '');
    own(path);
    chmodSync(path, 0o400);
    const says = new RegExp(`store\\.url: this user may not read and write ${path} \\(EACCES\\): give it to the user of the server`);
    assert.match(asNobody('main.ts', '--data-dir', dataDir, '--port', '0'), says);
    assert.match(asNobody('main.ts', '--data-dir', dataDir, '--backup', join(dataDir, 'x.backup')), says);
    assert.match(asNobody('command/main.ts', 'config', 'check', '--data-dir', dataDir), says);
    chmodSync(path, 0o600);
  }
  rmSync(dataDir, { recursive: true });
});

test.run();
