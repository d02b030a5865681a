// The name of a node: made once, and never empty.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { nodeName } from '../../kernel/start/prepare-store.ts';
import { temporaryFolder } from '../server.ts';

test('it is kept in the data folder, and made anew where the file was emptied', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'node');
  const first = nodeName(folder);
  assert.match(first, /^[0-9a-f-]{36}$/);
  assert.equal(nodeName(folder), first);
  for (const empty of ['', '\n']) {
    writeFileSync(path, empty);
    const made = nodeName(folder);
    assert.match(made, /^[0-9a-f-]{36}$/);
    assert.equal(readFileSync(path, 'utf8'), `${made}\n`);
  }
  rmSync(folder, { recursive: true });
});

test.run();
