// The shell script of the Debian package cannot import the list of flags, so this holds it to that list.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { helpersFor, nodeFlags } from '../../bin/node-flags.mjs';

const script = readFileSync(fileURLToPath(new URL('../../packaging/debian/gatehouse.sh', import.meta.url)), 'utf8');

test('the script of the Debian package starts the server with the flags of npm start', () => {
  const flags = nodeFlags({ isServer: true, quickImports: '"$lib/kernel/quick-imports.mjs"', helpers: '"$helpers"' });
  assert.ok(script.includes(`exec "$node" ${flags.join(' ')} "$lib/main.js" "$@"`), script);
});

test('it has as many helpers of V8 on each machine', () => {
  const line = /^helpers=.*$/m.exec(script)?.[0];
  assert.ok(line, script);
  for (let cores = 1; cores <= 10; cores += 1) {
    const said: string = execFileSync('sh', ['-c', `cores=${cores}; ${line}; echo "$helpers"`], { encoding: 'utf8' });
    assert.equal(Number(said), helpersFor(cores), `${cores} cores`);
  }
});

test.run();
