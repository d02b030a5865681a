// A store that cannot be written: /ready says so within seconds, requests are told to come back, nothing is read from a standby, and work resumes by itself.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { test } from 'uvu';
import { signalAll } from '../../../soak/process-tree.ts';
import { until } from '../../runtime.ts';
import { signInAdmin, startServer, type TestServer, temporaryFolder } from '../../server.ts';
import { testDatabases } from '../../stores.ts';

const databases = await testDatabases({ isOwn: true });
test.after(async () => void (await Promise.all(databases.map((database) => database.stop()))));

/** A failure is told, and its end, within this time. */
const TOLD_MS = 5_000;

const reasons = async (server: TestServer): Promise<string[]> => (await server.ask('GET', '/ready')).body.not_ready ?? [];

async function tells(server: TestServer, reason: RegExp): Promise<void> {
  await until(async () => (await reasons(server)).some((each) => reason.test(each)), `/ready tells ${reason}`, TOLD_MS);
}

async function recovers(server: TestServer): Promise<void> {
  await until(async () => (await server.ask('GET', '/ready')).status === 200, '/ready is well again', TOLD_MS);
}

test('a data folder that cannot be written', async () => {
  const server = await startServer();
  const probe = join(server.dataDir, 'probe');
  rmSync(probe, { force: true });
  mkdirSync(probe);
  await tells(server, /^store: the data folder cannot be written \(EISDIR\)$/);
  rmSync(probe, { recursive: true });
  await recovers(server);
  await server.end();
});

test('a database file that was moved, and one in its place', async () => {
  const server = await startServer();
  const path = join(server.dataDir, 'gatehouse.db');
  const cookie = await signInAdmin(server);
  await until(() => existsSync(join(server.dataDir, 'probe')), 'the first attempt');
  renameSync(path, `${path}.moved`);
  await tells(server, /^store: the database file is not the one that was opened/);
  copyFileSync(`${path}.moved`, path);
  await new Promise((later) => setTimeout(later, TOLD_MS));
  await tells(server, /^store: the database file is not the one that was opened/);
  renameSync(`${path}.moved`, path);
  await recovers(server);
  assert.equal((await server.ask('GET', '/whoami', { cookie })).status, 200);
  await server.end();
});

for (const [what, spoil] of [
  ['removed', (path: string) => rmSync(path)],
  ['moved', (path: string) => renameSync(path, `${path}.moved`)],
  [
    'replaced',
    (path: string) => {
      renameSync(path, `${path}.moved`);
      copyFileSync(`${path}.moved`, path);
    },
  ],
] as const)
  for (const end of ['-wal', '-shm'])
    test(`the ${end} file was ${what}: nothing is written that nobody would find, and nothing is lost`, async () => {
      const dataDir = temporaryFolder();
      const server = await startServer({ dataDir });
      const cookie = await signInAdmin(server);
      const make = (at: TestServer, with_: string) => at.ask('POST', '/v1/crypto/keys', { cookie: with_, body: { kty: 'oct', alg: 'A256GCM' } });
      const kept = (await make(server, cookie)).body.kid;
      spoil(join(dataDir, `gatehouse.db${end}`));
      const refused = await make(server, cookie);
      assert.equal(refused.status, 503, refused.text);
      assert.match(refused.body.description ?? refused.body.message, /^the write-ahead log of the database \(-wal, -shm\) is not the one that was opened/);
      await until(async () => (await reasons(server)).some((each) => /^store: the write-ahead log/.test(each)), '/ready tells it', 2 * TOLD_MS);
      assert.ok(server.lines.some(({ msg, problem }) => msg === 'the store cannot be written' && /^the write-ahead log/.test(String(problem))));
      await server.stop();
      for (const each of ['-wal', '-shm']) rmSync(join(dataDir, `gatehouse.db${each}`), { force: true });
      const next = await startServer({ dataDir });
      const again = (await next.ask('POST', '/login?realm=_', { user: 'admin:a new password' })).cookie as string;
      const used = await next.ask('POST', '/v1/crypto/encrypt', { cookie: again, body: { kid: kept, alg: 'dir', enc: 'A256GCM', data: 'AAAA' } });
      assert.equal(used.status, 200, used.text);
      await next.end();
    });

test('a database file that is none', async () => {
  const dataDir = temporaryFolder();
  writeFileSync(join(dataDir, 'gatehouse.db'), randomBytes(20_000));
  await assert.rejects(startServer({ dataDir }), /^StartFailure: the store could not start: the database file is damaged, or is none: file is not a database$/);
  rmSync(dataDir, { recursive: true });
});

const postgres = databases.find(({ dialect }) => dialect === 'postgres');
if (postgres) {
  test('a database that is lost', async () => {
    const server = await startServer({ config: `[store]\nurl = "${await postgres.url()}"\n` });
    const cookie = await signInAdmin(server);
    await postgres.postgres?.crash();
    await tells(server, /^store: the database cannot be reached$/);
    await postgres.postgres?.start();
    await recovers(server);
    assert.equal((await server.ask('GET', '/whoami', { cookie })).status, 200);
    await server.end();
  });

  test('a database that hangs', async () => {
    const server = await startServer({ config: `[store]\nurl = "${await postgres.url()}"\n` });
    const cookie = await signInAdmin(server);
    const pid = postgres.postgres?.pid() as number;
    signalAll(pid, 'SIGSTOP');
    try {
      await tells(server, /^store: (the store did not answer within 2 s|the database cannot be reached)$/);
    } finally {
      signalAll(pid, 'SIGCONT');
    }
    await recovers(server);
    assert.equal((await server.ask('GET', '/whoami', { cookie })).status, 200);
    await server.end();
  });

  test('a database that takes no writes for a while: requests are told to come back, nobody reads from it', async () => {
    const url = await postgres.url();
    const server = await startServer({ config: `[store]\nurl = "${url}"\n` });
    const cookie = await signInAdmin(server);
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    const { pathname } = new URL(url);
    const set = async (value: string) => {
      await admin.query(`ALTER DATABASE ${pathname.slice(1)} SET default_transaction_read_only = ${value}`);
      // As a fail-over does, which cuts the connections to the old server.
      await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()');
    };
    await admin.query('SET default_transaction_read_only = off');
    await set('on');
    await tells(server, /^store: the database is read-only: it is a standby, or a fail-over is under way$/);
    const statuses = await Promise.all([
      server.ask('GET', '/whoami', { cookie }),
      server.ask('POST', '/kmip/2_1', { cookie, body: { tag: 'RNGRetrieve', value: [] } }),
      server.ask('DELETE', '/sessions', { cookie, body: {} }),
    ]);
    assert.deepEqual(
      statuses.filter(({ status }) => status === 500 || status === 200).map(({ text }) => text),
      [],
    );
    await set('off');
    await recovers(server);
    assert.equal((await server.ask('GET', '/whoami', { cookie })).status, 200);
    await admin.end();
    await server.end();
  });
}

test.run();
