// Folders of the server's own: with their parents, and a word where none can be made.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { createPrivateFolder } from '../../kernel/private-file.ts';
import { root } from '../e2e/started.ts';
import { temporaryFolder } from '../server.ts';

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

test('a data folder where the file system has none is told at once', () => {
  if (process.platform !== 'linux') return;
  const { status, stderr } = spawnSync(process.execPath, ['main.ts', '--data-dir', '/proc/gatehouse'], { cwd: root, encoding: 'utf8', timeout: 20_000 });
  assert.equal(status, 1);
  assert.match(stderr, /data folder \/proc\/gatehouse: cannot be created \(ENOENT\)/);
});

test.run();
