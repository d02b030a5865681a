// The data folder of each release opens in this version, with all that was in it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { exitOf, integrity, start } from '../e2e/started.ts';
import { temporaryFolder } from '../server.ts';
import { checkLeft, type Left } from './lived.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const releases = readdirSync(here)
  .filter((name) => name.endsWith('.tar.gz'))
  .map((name) => name.replace('.tar.gz', ''));

test('there is a data folder of a release, and what its users know', () => {
  assert.ok(releases.length > 0);
  for (const release of releases) assert.match(release, /^\d+\.\d+\.\d+$/);
});

for (const release of releases)
  test(`what ${release} has left works on, and after a restart too`, async () => {
    const folder = temporaryFolder();
    execFileSync('tar', ['--extract', '--gzip', '--file', join(here, `${release}.tar.gz`), '--directory', folder]);
    const left = JSON.parse(readFileSync(join(here, `${release}.json`), 'utf8')) as Left;
    const dataDir = join(folder, 'data');
    for (let starts = 1; starts <= 2; starts += 1) {
      const server = await start(dataDir);
      await checkLeft(server.ask, left);
      server.child.kill('SIGTERM');
      assert.equal(await exitOf(server.child), 0, server.output.text);
    }
    assert.equal(await integrity(join(dataDir, 'gatehouse.db')), 'ok');
    rmSync(folder, { recursive: true });
  });

test.run();
