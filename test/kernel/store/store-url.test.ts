// The place of the database by `[store] url`: one that cannot be is told before anything is opened, with the setting that names it.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { openableStoreUrl } from '../../../kernel/store/store-url.ts';
import { temporaryFolder } from '../../server.ts';

test('a database file has a folder, and is none', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'sub'));
  writeFileSync(join(folder, 'file'), '');
  assert.equal(openableStoreUrl('sqlite:gatehouse.db', folder), `sqlite:${folder}/gatehouse.db`);
  assert.equal(openableStoreUrl('sqlite:sub/other.db', folder), `sqlite:${folder}/sub/other.db`);
  assert.equal(openableStoreUrl('postgres://h/d', folder), 'postgres://h/d');
  for (const [url, expected] of [
    ['sqlite:nope/x.db', /store\.url: there is no folder .*nope for the database file/],
    ['sqlite:file/x.db', /store\.url: there is no folder .*file for/],
    ['sqlite:sub', /store\.url: .*sub is a folder; name a file/],
    ['mysql://h/d', /store\.url: must begin with/],
  ] as const)
    assert.throws(() => openableStoreUrl(url, folder), { name: 'ConfigError', message: expected }, url);
  assert.throws(() => openableStoreUrl('sqlite:nope/x.db', folder, '--copy-store'), /--copy-store: there is no folder/);
});

test.run();
