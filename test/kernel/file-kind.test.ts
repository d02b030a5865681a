// What lies in the data folder as the wrong kind, as where a container has made a folder for a file that it was to mount: the start and doctor name it.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import { examine } from '../../command/doctor/doctor.ts';
import { boot } from '../../kernel/start/boot.ts';
import { BUILT_IN } from '../../plugins/index.ts';
import { startServer, temporaryFolder } from '../server.ts';

const home = temporaryFolder();
test.after(() => rmSync(home, { recursive: true }));

/** The same with a folder at a place for a file, or with a file at one for a folder. */
function folderWith(name: string, kind: 'file' | 'folder'): string {
  const dataDir = join(home, name.replaceAll('/', '-'));
  const path = join(dataDir, name);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (kind === 'folder') mkdirSync(path);
  else writeFileSync(path, '');
  return dataDir;
}

const ALL = ['lock', 'node', 'probe', 'initial-password', 'tls/cert.pem', 'tls/key.pem'];
const BESIDE_DATABASE = ['gatehouse.db-wal', 'gatehouse.db-shm', 'gatehouse.db.lock'];

for (const name of [...ALL, ...BESIDE_DATABASE])
  test(`a folder in the place of ${name} is named by a start, which makes no database, and by doctor`, async () => {
    const dataDir = folderWith(name, 'folder');
    const says = `${join(dataDir, name)} is a folder, where a file belongs; move it away`;
    await assert.rejects(startServer({ dataDir }), (error: Error) => error.name === 'ConfigError' && error.message.includes(says));
    assert.ok(!readdirSync(dataDir).includes('gatehouse.db'));
    const findings = await examine({ dataDir }, {}, Date.now());
    assert.ok(
      findings.some((each) => each.state === 'problem' && each.says.includes(says)),
      JSON.stringify(findings),
    );
  });

test('a file in the place of the folder tls is named, unless the certificate is elsewhere', async () => {
  const dataDir = folderWith('tls', 'file');
  const says = `data folder: ${join(dataDir, 'tls')} is a file, where a folder belongs; move it away`;
  await assert.rejects(startServer({ dataDir }), (error: Error) => error.name === 'ConfigError' && error.message.includes(says));
  const other = await startServer();
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => join(other.dataDir, 'tls', name));
  const config = join(home, 'config.toml');
  writeFileSync(config, `[http]\nport = 0\n[http.tls]\ncert = "${cert}"\nkey = "${key}"\n[log]\nlevel = "silent"\n`);
  const server = await boot({ plugins: BUILT_IN, version: '0.0.0-test', argv: ['--config', config, '--data-dir', dataDir], env: {} });
  await server.stop();
  await other.end();
});

test('a data folder that is a file is named', async () => {
  const dataDir = join(home, 'plain');
  writeFileSync(dataDir, '');
  await assert.rejects(startServer({ dataDir }), /data folder: \S+plain is a file, where a folder belongs; move it away, or name another one with --data-dir/);
});

test.run();
