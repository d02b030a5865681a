// `gatehouse doctor` on installations whose root key is lost, or the one of another database: the server would not start.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { examine } from '../../command/doctor/doctor.ts';
import { exitOf, start } from '../e2e/started.ts';
import { temporaryFolder } from '../server.ts';
import { testDatabases } from '../stores.ts';

const ANOTHER = 'ab'.repeat(32);

for (const database of await testDatabases()) {
  const home = temporaryFolder();
  const dataDir = join(home, 'data');
  const config = join(home, 'config.toml');
  const key = join(dataDir, 'root.key');
  let url: string;
  const name = (text: string) => `${database.dialect}: ${text}`;
  const configure = (more = '') => writeFileSync(config, `[store]\nurl = "${url}"\n${more}`, { mode: 0o600 });
  const found = async () =>
    (await examine({ config, dataDir }, {}, Date.now())).filter(({ about }) => about === 'root key').map(({ state, says }) => `${state} ${says}`);

  test(name('the key that opens its database, in the file and configured'), async () => {
    mkdirSync(dataDir, { mode: 0o700 });
    url = database.dialect === 'sqlite' ? 'sqlite:gatehouse.db' : await database.url();
    configure();
    const server = await start(dataDir, ['--config', config]);
    server.child.kill('SIGTERM');
    await exitOf(server.child);
    assert.deepEqual(await found(), [`ok ${key} opens the keys of the database`]);
    configure(`root_key = "${readFileSync(key, 'utf8').trim()}"\n`);
    assert.deepEqual(await found(), ['ok store.root_key opens the keys of the database']);
  });

  test(name('the key of another database is a problem'), async () => {
    configure(`root_key = "${ANOTHER}"\n`);
    assert.deepEqual(await found(), ['problem store.root_key does not open the keys of the database: it is the one of another']);
    configure();
    copyFileSync(key, join(home, 'kept'));
    writeFileSync(key, ANOTHER);
    assert.deepEqual(await found(), [`problem ${key} does not open the keys of the database: it is the one of another`]);
  });

  test(name('a lost key is a problem'), async () => {
    rmSync(key);
    assert.deepEqual(await found(), [`problem ${key} is missing, and the database needs it`]);
    renameSync(join(home, 'kept'), key);
    assert.deepEqual(await found(), [`ok ${key} opens the keys of the database`]);
    rmSync(home, { recursive: true });
    await database.stop();
  });
}

test.run();
