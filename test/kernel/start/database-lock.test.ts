// One SQLite file serves one server: a second one from another data folder is refused, by whatever name it has the file, and so is a copy meanwhile.
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { copyStore } from '../../../kernel/backup/copy.ts';
import { BUILT_IN } from '../../../plugins/index.ts';
import { startServer, temporaryFolder } from '../../server.ts';

const folder = temporaryFolder();
const [first, second] = [join(folder, 'first'), join(folder, 'second')];
const configOf = (url: string) => `[store]\nurl = "${url}"\n`;
const SHARED = 'sqlite:../first/gatehouse.db';

test.before(() => mkdirSync(second, { mode: 0o700 }));
test.after(() => rmSync(folder, { recursive: true }));

test('a database that a server uses takes no second one, and is free when that has ended', async () => {
  const server = await startServer({ dataDir: first, config: configOf('sqlite:gatehouse.db') });
  copyFileSync(join(first, 'root.key'), join(second, 'root.key'));
  symlinkSync(join(first, 'gatehouse.db'), join(second, 'linked.db'));
  for (const url of [SHARED, 'sqlite:linked.db'])
    await assert.rejects(
      startServer({ dataDir: second, config: configOf(url) }),
      /store\.url: another gatehouse uses .*\/first\/gatehouse\.db; stop that one, or use PostgreSQL, which several servers can share/,
    );
  const file = join(folder, 'config.toml');
  writeFileSync(file, configOf(SHARED));
  const argv = ['--config', file, '--data-dir', second, '--copy-store', 'sqlite:copy.db'];
  const copy = () => copyStore({ plugins: BUILT_IN, version: '0.0.0-test', argv, env: {} }, () => {});
  await assert.rejects(copy(), /store\.url: another gatehouse uses .*\/first\/gatehouse\.db/);
  assert.ok(!existsSync(join(second, 'copy.db')));
  await server.end();
  assert.match(await copy(), /copied \d+ rows/);
  const other = await startServer({ dataDir: second, config: configOf(SHARED) });
  await assert.rejects(startServer({ dataDir: first, config: configOf('sqlite:gatehouse.db') }), /store\.url: another gatehouse uses/);
  await other.end();
});

test.run();
