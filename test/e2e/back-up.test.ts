// Backups as an operator makes them: the launcher, a server that goes on serving, another folder, the root key carried by hand.
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { temporaryFolder } from '../server.ts';
import { exitOf, integrity, launch, start } from './started.ts';

const env = { GATEHOUSE_ADMIN_PASSWORD: 'initial password' };

async function job(dataDir: string, ...args: string[]): Promise<{ code: number | null; text: string }> {
  const { child, output } = launch(dataDir, args);
  const code = await exitOf(child);
  return { code, text: output.text.trim() };
}

test('back up while it serves, restore elsewhere, rotate the root key, restore what was made before', async () => {
  const folder = temporaryFolder();
  const place = (name: string) => join(folder, name);
  const file = place('backup');
  const server = await start(place('data'), [], env);
  process.on('exit', () => server.child.kill('SIGKILL'));
  const { cookie } = await server.ask('POST', '/login?realm=_', { user: 'admin:initial password', body: { new_password: 'a new password' } });
  const { kid } = (await server.ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } })).body;
  const sealed = (await server.ask('POST', '/v1/crypto/encrypt', { cookie, body: { kid, alg: 'dir', enc: 'A256GCM', data: 'aGVsbG8' } })).body;

  const made = await job(place('data'), '--backup', file);
  assert.deepEqual(
    [made.code, /wrote \d+ rows of \d+ tables to .*backup; a restore also needs the root key ([0-9a-f]{16}), which is not in the file/.test(made.text)],
    [0, true],
    made.text,
  );
  assert.equal((await server.ask('GET', '/whoami', { cookie })).status, 200);
  const second = await job(place('data'), '--backup', file);
  assert.deepEqual([second.code, second.text], [1, `gatehouse: ${file} exists already, and a backup never replaces a file; name a new file`]);
  server.child.kill('SIGTERM');
  assert.equal(await exitOf(server.child), 0);
  // A server that is down is backed up as well, and its file is sound after it.
  assert.equal((await job(place('data'), '--backup', place('down'))).code, 0);
  assert.equal(await integrity(join(place('data'), 'gatehouse.db')), 'ok');

  const without = await job(place('other'), '--restore', file);
  assert.deepEqual(
    [without.code, /^gatehouse: the backup needs the root key [0-9a-f]{16}, and there is none here; put it into .*root\.key/.test(without.text)],
    [1, true],
    without.text,
  );
  assert.ok(!existsSync(place('other')));
  mkdirSync(place('other'));
  copyFileSync(join(place('data'), 'root.key'), join(place('other'), 'root.key'));
  const restored = await job(place('other'), '--restore', file);
  assert.deepEqual([restored.code, /^gatehouse: restored \d+ rows/.test(restored.text)], [0, true], restored.text);
  assert.equal(await integrity(join(place('other'), 'gatehouse.db')), 'ok');
  const again = await job(place('other'), '--restore', file);
  assert.deepEqual([again.code, /the store is not empty/.test(again.text)], [1, true]);

  const other = await start(place('other'), ['--rotate-kek']);
  process.on('exit', () => other.child.kill('SIGKILL'));
  assert.match(other.output.text, /is ready at \S+ - --rotate-kek: the data keys are now wrapped by the root key [0-9a-f]{16} in /);
  const login = await other.ask('POST', '/login?realm=_', { user: 'admin:a new password' });
  assert.equal(login.body.next_step, 'Authenticated');
  const opened = await other.ask('POST', '/v1/crypto/decrypt', { cookie: login.cookie, body: { kid, ...sealed } });
  assert.equal(opened.body.data, 'aGVsbG8', opened.text);
  other.child.kill('SIGTERM');
  assert.equal(await exitOf(other.child), 0);

  // The backup made before the rotation needs the root key that the rotation has kept under its ID.
  mkdirSync(place('third'));
  copyFileSync(join(place('other'), 'root.key'), join(place('third'), 'root.key'));
  const wrong = await job(place('third'), '--restore', file);
  const needed = /it needs the root key ([0-9a-f]{16})/.exec(wrong.text)?.[1];
  assert.deepEqual([wrong.code, readdirSync(place('third'))], [1, ['root.key']], wrong.text);
  copyFileSync(join(place('other'), `root.key.${needed}`), join(place('third'), 'root.key'));
  assert.equal((await job(place('third'), '--restore', file)).code, 0);
  assert.ok(!readFileSync(file).includes(readFileSync(join(place('data'), 'root.key'))));
  rmSync(folder, { recursive: true });
});

test.run();
