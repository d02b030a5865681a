// The rotation of the root key: the data keys stay, the old root key opens nothing any more, and a crash at any moment leaves one that opens the database.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { openKeyring } from '../../../kernel/keys/keyring.ts';
import { rotateKek } from '../../../kernel/keys/rotate-kek.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/store/open.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { signInAdmin, startServer, temporaryFolder } from '../../server.ts';
import { testDatabases } from '../../stores.ts';

const clock = createClock();
const databases = await testDatabases();
const now = () => 0;
const first = 'ab'.repeat(32);
const second = Buffer.alloc(32, 0xcd).toString('base64');

test.after(async () => {
  for (const database of databases) await database.stop();
});

async function fresh(url: string) {
  const store = await openStore(url, { writer: 'test', clock });
  await migrate(store, [], now);
  return { store, dataDir: temporaryFolder() };
}

async function keysOf(store: Store, source: { dataDir: string; configured: string }): Promise<string> {
  const ring = await openKeyring(store, source, now);
  return Buffer.concat([await ring.dataKey('auth'), await ring.dataKey('keys')]).toString('hex');
}

/** A store whose transactions end as a crash would end them: before their commit, or after it. */
function crashing(store: Store, when: 'before' | 'after'): Store {
  const crash = new Error(`crash ${when} the commit`);
  return {
    ...store,
    async transaction(work, options) {
      const value = await store.transaction(async (tx) => {
        const done = await work(tx);
        if (when === 'before') throw crash;
        return done;
      }, options);
      if (when === 'after') throw crash;
      return value;
    },
  };
}

for (const database of databases) {
  test(`${database.dialect}: root.key is replaced, the data keys stay, the old one is kept under its ID; audited`, async () => {
    const { store, dataDir } = await fresh(await database.url());
    const source = { dataDir, configured: '' };
    const keys = await keysOf(store, source);
    const before = readFileSync(join(dataDir, 'root.key'), 'utf8');
    const rows = await store.all<{ wrapped: Uint8Array }>('SELECT wrapped FROM data_key ORDER BY purpose');
    const told = await rotateKek(store, source);
    const [, id, kept] =
      /wrapped by the root key ([0-9a-f]{16}) in .*root\.key; back up this file, and keep .*(root\.key\.[0-9a-f]{16}) for earlier backups/.exec(told) ?? [];
    assert.equal(await keysOf(store, source), keys);
    assert.deepEqual(readdirSync(dataDir).sort(), ['root.key', kept]);
    assert.notEqual(readFileSync(join(dataDir, 'root.key'), 'utf8'), before);
    assert.equal(readFileSync(join(dataDir, kept as string), 'utf8'), before);
    for (const name of readdirSync(dataDir)) assert.equal(statSync(join(dataDir, name)).mode & 0o777, 0o600);
    const after = await store.all<{ wrapped: Uint8Array }>('SELECT wrapped FROM data_key ORDER BY purpose');
    for (const [at, { wrapped }] of after.entries()) assert.notDeepEqual(wrapped, rows[at]?.wrapped);
    const [event] = await store.all<Record<string, unknown>>("SELECT outcome, target, reason FROM audit WHERE event = 'server.rotate_kek'");
    assert.deepEqual({ ...event }, { outcome: 'success', target: id, reason: `replaces ${kept?.slice('root.key.'.length)}` });
    // The old root key opens nothing any more.
    await assert.rejects(openKeyring(store, { dataDir, configured: before.trim() }, now), /does not open the data keys/);
    await store.close();
    rmSync(dataDir, { recursive: true });
  });

  test(`${database.dialect}: a configured root key is replaced by the one that is given, again and again without harm`, async () => {
    const { store, dataDir } = await fresh(await database.url());
    const old = { dataDir, configured: first };
    const keys = await keysOf(store, old);
    await assert.rejects(rotateKek(store, old), /store.root_key is configured, so the new root key must be given with --new-root-key/);
    await assert.rejects(rotateKek(store, { ...old, next: 'short' }), /--new-root-key: must be 64 hexadecimal digits/);
    await assert.rejects(rotateKek(crashing(store, 'before'), { ...old, next: second }), /crash before/);
    assert.equal(await keysOf(store, old), keys);
    await assert.rejects(rotateKek(crashing(store, 'after'), { ...old, next: second }), /crash after/);
    // The same command once more, with the old one still configured, and with the new one.
    await openKeyring(store, { ...old, next: second }, now);
    assert.match(await rotateKek(store, { ...old, next: second }), /nothing to do, the data keys are already wrapped by the root key [0-9a-f]{16}/);
    assert.match(await rotateKek(store, { dataDir, configured: second, next: second }), /already/);
    assert.equal(await keysOf(store, { dataDir, configured: second }), keys);
    await assert.rejects(openKeyring(store, old, now), /does not open the data keys/);
    assert.match(await rotateKek(store, { dataDir, configured: second, next: first }), /set \[store\] root_key to it before the next start of any node/);
    assert.equal(await keysOf(store, old), keys);
    assert.deepEqual(readdirSync(dataDir), []);
    await store.close();
    rmSync(dataDir, { recursive: true });
  });
}

test('a crash between any two steps leaves a root key that opens the data keys; the next start cleans up', async () => {
  const { store, dataDir } = await fresh(await (databases[0] as (typeof databases)[0]).url());
  const source = { dataDir, configured: '' };
  const path = (name: string) => join(dataDir, name);
  const keys = await keysOf(store, source);
  const settled = async () => {
    assert.equal(await keysOf(store, source), keys);
    assert.ok(!existsSync(path('root.key.next')));
    assert.equal(await keysOf(store, source), keys);
  };
  // The new file is there, nothing is wrapped by it: the old one stays.
  const before = readFileSync(path('root.key'), 'utf8');
  await assert.rejects(rotateKek(crashing(store, 'before'), source), /crash before/);
  assert.ok(existsSync(path('root.key.next')));
  await settled();
  assert.equal(readFileSync(path('root.key'), 'utf8'), before);
  // Everything is wrapped by it, the files are as they were: it takes its place.
  await assert.rejects(rotateKek(crashing(store, 'after'), source), /crash after/);
  const next = readFileSync(path('root.key.next'), 'utf8');
  copyFileSync(path('root.key.next'), path('copy'));
  await settled();
  assert.equal(readFileSync(path('root.key'), 'utf8'), next);
  const [kept] = readdirSync(dataDir).filter((name) => /^root\.key\.[0-9a-f]{16}$/.test(name));
  assert.equal(readFileSync(path(kept as string), 'utf8'), before);
  // The old one is kept already, the rename has not happened.
  writeFileSync(path('root.key'), before);
  copyFileSync(path('copy'), path('root.key.next'));
  await settled();
  assert.equal(readFileSync(path('root.key'), 'utf8'), next);
  // A file that nothing of ours has written does not matter while the one in use opens the keys, and is never taken instead of it.
  writeFileSync(path('root.key.next'), 'not a key');
  await settled();
  writeFileSync(path('root.key'), first);
  writeFileSync(path('root.key.next'), second);
  await assert.rejects(openKeyring(store, source, now), /does not open the data keys/);
  assert.deepEqual([readFileSync(path('root.key'), 'utf8'), readFileSync(path('root.key.next'), 'utf8')], [first, second]);
  await store.close();
  rmSync(dataDir, { recursive: true });
});

const child = `
  import { createClock } from '${new URL('../../../kernel/clock.ts', import.meta.url)}';
  import { openKeyring } from '${new URL('../../../kernel/keys/keyring.ts', import.meta.url)}';
  import { rotateKek } from '${new URL('../../../kernel/keys/rotate-kek.ts', import.meta.url)}';
  import { openStore } from '${new URL('../../../kernel/store/open.ts', import.meta.url)}';
  const [dataDir] = process.argv.slice(1);
  const store = await openStore('sqlite:' + dataDir + '/test.db', { writer: 'child', clock: createClock() });
  const source = { dataDir, configured: '' };
  await openKeyring(store, source, () => 0);
  for (;;) {
    await rotateKek(store, source);
    console.log('rotated');
  }
`;

function rotations(running: ChildProcess, wanted: number): Promise<void> {
  let seen = 0;
  return new Promise((resolve, reject) => {
    running.on('exit', () => reject(new Error('the child ended by itself')));
    running.stdout?.on('data', (data: Buffer) => {
      seen += data.toString().split('rotated').length - 1;
      if (seen >= wanted) resolve();
    });
  });
}

test('kill -9 in the middle of rotations: the data keys open ever after', async () => {
  const folder = temporaryFolder();
  const store = await openStore(`sqlite:${folder}/test.db`, { writer: 'test', clock });
  await migrate(store, [], now);
  const source = { dataDir: folder, configured: '' };
  const keys = await keysOf(store, source);
  for (let round = 0; round < 8; round++) {
    const running = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', child, folder], {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(running, 'exit');
    process.on('exit', () => running.kill('SIGKILL'));
    await rotations(running, 1 + round);
    // Not at the moment of a line: anywhere in the rotation after it.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
    running.kill('SIGKILL');
    await ended;
    assert.equal(await keysOf(store, source), keys, `round ${round}`);
  }
  await store.close();
  rmSync(folder, { recursive: true });
});

test('--rotate-kek rotates, says so, and then serves; contradictory flags are refused', async () => {
  const server = await startServer();
  const cookie = await signInAdmin(server);
  await server.stop();
  const again = await startServer({ dataDir: server.dataDir, argv: ['--rotate-kek'] });
  assert.match(again.announcements.join('\n'), /--rotate-kek: the data keys are now wrapped by the root key [0-9a-f]{16} in /);
  assert.equal((await again.ask('GET', '/whoami', { cookie })).status, 200);
  const { body } = await again.ask('GET', '/audit?event=server.rotate_kek', { cookie });
  assert.equal(body.events.length, 1);
  await again.end();
  const given = { dataDir: server.dataDir, argv: ['--rotate-kek', '--new-root-key', 'env:GATEHOUSE_NEW'], env: { GATEHOUSE_NEW: second } };
  const third = await startServer(given);
  assert.equal(given.env.GATEHOUSE_NEW, undefined);
  assert.ok(!third.lines.some(({ warning }) => String(warning).includes('GATEHOUSE_NEW')));
  assert.equal(readFileSync(join(server.dataDir, 'root.key'), 'utf8').trim(), second);
  await third.end();
  const { dataDir } = server;
  await assert.rejects(
    startServer({ dataDir, argv: ['--new-root-key', 'env:NO'] }),
    /--new-root-key: has an effect only with --rotate-kek\n.*the variable NO is not set/,
  );
  await assert.rejects(startServer({ dataDir, argv: ['--backup', 'a', '--rotate-kek'] }), /--backup and --rotate-kek: cannot be combined/);
  await server.end();
});

test.run();
