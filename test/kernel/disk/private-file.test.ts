// Folders and files of the server's own: with their parents, and a word where none can be made.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { createFolderWithin, createPrivateFile, createPrivateFolder, writePrivateFile } from '../../../kernel/disk/private-file.ts';
import { createLog } from '../../../kernel/log/log.ts';
import { fileFailure } from '../../../kernel/start/start-failure.ts';
import { StoreProbe } from '../../../kernel/store/store-probe.ts';
import { mountDisk } from '../../disk.ts';
import { root } from '../../e2e/started.ts';
import { until } from '../../runtime.ts';
import { temporaryFolder } from '../../server.ts';

/** Nobody, as systems call this user. */
const NOBODY = 65_534;

test('a folder is made with its missing parents, all of mode 0700, and one that is there is left as it is', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'a', 'b', 'c');
  assert.equal(createPrivateFolder(path), true);
  for (const made of [path, join(folder, 'a', 'b'), join(folder, 'a')]) assert.equal(statSync(made).mode & 0o777, 0o700);
  assert.equal(createPrivateFolder(path), false);
  writeFileSync(join(folder, 'file'), '');
  assert.throws(() => createPrivateFolder(join(folder, 'file')), /EEXIST/);
  assert.throws(() => createPrivateFolder(join(folder, 'file', 'below')), /ENOTDIR/);
  rmSync(folder, { recursive: true });
});

test('what root makes in the data folder of another user belongs to that user', async () => {
  if (process.geteuid?.() !== 0) return console.log('skipped: only root can give files to another user');
  const folder = temporaryFolder();
  chownSync(folder, NOBODY, NOBODY);
  writePrivateFile(join(folder, 'initial-password'), 'secret');
  createPrivateFile(join(folder, 'gatehouse.db'));
  createFolderWithin(join(folder, 'tls'));
  writePrivateFile(join(folder, 'tls', 'key.pem'), 'secret');
  const probe = new StoreProbe(`sqlite:${join(folder, 'gatehouse.db')}`, createClock(), createLog('silent'));
  await until(() => existsSync(join(folder, 'probe')), 'the probe has written');
  await probe.close();
  for (const name of ['initial-password', 'gatehouse.db', 'probe', 'tls', 'tls/key.pem']) {
    const { uid, gid, mode } = statSync(join(folder, name));
    assert.deepEqual([name, uid, gid, mode & 0o077], [name, NOBODY, NOBODY, 0]);
  }
  // A folder that is made beside other things of that user belongs to who made it.
  createPrivateFolder(join(folder, 'data'));
  assert.equal(statSync(join(folder, 'data')).uid, 0);
  rmSync(folder, { recursive: true });
});

test('a data folder where the file system has none is told at once', () => {
  if (process.platform !== 'linux') return;
  const { status, stderr } = spawnSync(process.execPath, ['main.ts', '--data-dir', '/proc/gatehouse'], { cwd: root, encoding: 'utf8', timeout: 20_000 });
  assert.equal(status, 1);
  assert.match(stderr, /data folder \/proc\/gatehouse: cannot be created \(ENOENT\)/);
});

test('a private file on a full disk is told by its name, and nothing of it is left', () => {
  const folder = temporaryFolder();
  const disk = mountDisk(folder, 1);
  if (!disk) return console.log('skipped: a disk that can be full needs the right to mount a file system');
  try {
    const path = join(folder, 'root.key');
    writePrivateFile(path, 'the old key');
    disk.fill();
    // Larger than what the filler may have left.
    const write = () => writePrivateFile(path, 'k'.repeat(65_536));
    assert.throws(write, (error) => fileFailure(error) === `${path}.new cannot be written: the disk is full (ENOSPC)`);
    assert.deepEqual(readdirSync(folder).sort(), ['filler', 'root.key']);
    assert.equal(readFileSync(path, 'utf8'), 'the old key');
  } finally {
    disk.end();
    rmSync(folder, { recursive: true });
  }
});

test.run();
