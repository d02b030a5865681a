// The shell script of the Debian package cannot import the list of flags, so this holds it to that list.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { nodeFlags } from '../../bin/node-flags.mjs';

const script = readFileSync(fileURLToPath(new URL('../../packaging/debian/gatehouse.sh', import.meta.url)), 'utf8');

test('the script of the Debian package starts the server with the flags of npm start', () => {
  const flags = nodeFlags({ isServer: true, quickImports: '"$lib/kernel/quick-imports.mjs"' });
  assert.ok(script.includes(`exec "$node" ${flags.join(' ')} "$lib/main.js" "$@"`), script);
});

test.run();
