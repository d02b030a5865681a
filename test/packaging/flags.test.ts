// The shell script and the unit of the Debian package cannot import what the program knows, so this holds them to it: flags, folders, and how long a stop may take.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { helpersFor, nodeFlags } from '../../bin/node-flags.mjs';
import { KERNEL_SECTIONS } from '../../kernel/config/sections.ts';

const read = (name: string) => readFileSync(fileURLToPath(new URL(`../../packaging/debian/${name}`, import.meta.url)), 'utf8');
const script = read('gatehouse.sh');
/** After the time of the load balancer. */
const STOP_SECONDS = 30;

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

test('commands of the package look after the installation of the service, unless they are told otherwise', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-script-'));
  const node = join(folder, 'node_modules/node/bin/node');
  mkdirSync(dirname(node), { recursive: true });
  writeFileSync(node, '#!/bin/sh\necho "$GATEHOUSE_CONFIG $GATEHOUSE_DATA_DIR"\n', { mode: 0o755 });
  writeFileSync(join(folder, 'gatehouse'), script.replace('lib=/usr/lib/gatehouse', `lib=${folder}`));
  const said = (word: string, env: NodeJS.ProcessEnv = {}) =>
    execFileSync('sh', [join(folder, 'gatehouse'), word], { encoding: 'utf8', env: { PATH: process.env['PATH'], ...env } }).trim();
  assert.equal(said('doctor'), '/etc/gatehouse/config.toml /var/lib/gatehouse');
  assert.equal(said('backup', { GATEHOUSE_CONFIG: '/srv/own.toml', GATEHOUSE_DATA_DIR: '/srv/data' }), '/srv/own.toml /srv/data');
  assert.equal(said('start'), '', 'a server of somebody else keeps its own');
  rmSync(folder, { recursive: true });
});

test('systemd waits until a server has stopped that serves on for a load balancer', () => {
  const { maximum = Number.POSITIVE_INFINITY } = KERNEL_SECTIONS.http.properties.drain_seconds as { maximum?: number };
  const waits = Number(/^TimeoutStopSec=(\d+)$/m.exec(read('gatehouse.service'))?.[1]);
  assert.ok(waits >= maximum + STOP_SECONDS, `${waits} s`);
});

test.run();
