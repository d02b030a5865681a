// The place of the database by `[store] url`: one that cannot be is told before anything is opened, with the setting that names it.
import assert from 'node:assert/strict';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { test } from 'uvu';
import { secondPlaceProblem } from '../../../kernel/store/only-place.ts';
import { openableStoreUrl } from '../../../kernel/store/store-url.ts';
import { temporaryFolder } from '../../server.ts';

test('a database file has a folder, and is none', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'sub'));
  writeFileSync(join(folder, 'file'), '');
  assert.equal(openableStoreUrl('sqlite:gatehouse.db', folder), `sqlite:${folder}/gatehouse.db`);
  assert.equal(openableStoreUrl('sqlite:sub/other.db', folder), `sqlite:${folder}/sub/other.db`);
  for (const url of ['postgres://h/d', 'postgres://u:p,w@h/d,e?options=a,b']) assert.equal(openableStoreUrl(url, folder), url);
  for (const [url, expected] of [
    ['sqlite:nope/x.db', /store\.url: there is no folder .*nope for the database file/],
    ['sqlite:file/x.db', /store\.url: there is no folder .*file for/],
    ['sqlite:sub', /store\.url: .*sub is a folder; name a file/],
    ['mysql://h/d', /store\.url: must begin with/],
    ['postgres://a,b/d', /store\.url: names several hosts/],
    ['postgres://u:p,w@a:5432,b:5432/d?target_session_attrs=read-write', /store\.url: names several hosts/],
  ] as const)
    assert.throws(() => openableStoreUrl(url, folder), { name: 'ConfigError', message: expected }, url);
  assert.throws(() => openableStoreUrl('sqlite:nope/x.db', folder, '--copy-store'), /--copy-store: there is no folder/);
});

test('a database file has one name and one place, because its write-ahead log has', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'a b.db');
  writeFileSync(path, '');
  symlinkSync(path, join(folder, 'symbolic.db'));
  assert.equal(openableStoreUrl('sqlite:symbolic.db', folder), `sqlite:${folder}/symbolic.db`);
  // As the system writes it.
  const mounts = `41 27 254:0 / /mnt rw - ext4 /dev/vda rw\n42 27 254:0 /srv/g.db ${path.replaceAll(' ', '\\040')} rw,relatime - ext4 /dev/vda rw\n`;
  for (const each of [path, join(folder, 'symbolic.db')])
    assert.match(secondPlaceProblem(each, mounts) ?? '', /is mounted from another place.*mount the folder/);
  assert.equal(secondPlaceProblem(join(folder, 'none.db'), mounts), undefined);
  linkSync(path, join(folder, 'hard.db'));
  for (const name of ['a b.db', 'hard.db', 'symbolic.db'])
    assert.throws(() => openableStoreUrl(`sqlite:${name}`, folder), { name: 'ConfigError', message: /store\.url: .*\.db has 2 names \(hard links\)/ });
});

test('the files of TLS that a URL names can be read', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'ca.pem'), '');
  const url = (name: string) => `postgres://h/d?sslmode=verify-full&sslrootcert=${encodeURIComponent(join(folder, name))}`;
  assert.equal(openableStoreUrl(url('ca.pem'), folder), url('ca.pem'));
  for (const name of ['none.pem', '.'])
    assert.throws(() => openableStoreUrl(url(name), folder), { name: 'ConfigError', message: /store\.url: sslrootcert: E[A-Z]+/ });
});

test('the driver gets the name of a database as it was meant, however much of it is escaped', () => {
  for (const name of ['gatehouse', 'a b', 'é日', 'team@prod', 'a:b', 'a/b', 'a+b', 'a&b=c', '$a,b;c', '%', '%40', '100%25', 'a%2Fb', '"q"']) {
    const url = openableStoreUrl(`postgres://us%40er:p%2Fw@h:5433/${encodeURIComponent(name)}?application_name=a%40b`, '/tmp');
    const { database, user, password, host, port } = new pg.Client({ connectionString: url });
    assert.deepEqual({ database, user, password, host, port }, { database: name, user: 'us@er', password: 'p/w', host: 'h', port: 5433 }, url);
  }
});

test.run();
