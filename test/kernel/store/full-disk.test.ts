// A full disk under SQLite: /ready says so, writes are told to come back, reads go on, and work resumes by itself with nothing lost.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { serverFailure } from '../../../kernel/start/start-failure.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/store/open.ts';
import { mountDisk } from '../../disk.ts';
import { until } from '../../runtime.ts';
import { type Answer, signInAdmin, startServer, type TestServer, temporaryFolder } from '../../server.ts';

const TOLD_MS = 5_000;
const DISK_MB = 64;
const folder = temporaryFolder();
const dataDir = join(folder, 'data');
mkdirSync(dataDir);
const disk = mountDisk(dataDir, DISK_MB);
let server: TestServer | undefined;
test.after(async () => {
  await server?.end();
  disk?.end();
  rmSync(folder, { recursive: true, force: true });
});

if (!disk) console.log('skipped: a disk that can be full needs the right to mount a file system');
else
  test('a full disk is told within five seconds, and no write is an internal error', async () => {
    server = await startServer({ dataDir, config: '[store]\nurl = "sqlite:gatehouse.db"\n' });
    const { ask } = server;
    const cookie = await signInAdmin(server);
    const make = () => ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } });
    const writes: readonly (() => Promise<Answer>)[] = [
      make,
      () => ask('POST', '/login?realm=_', { user: 'admin:a new password' }),
      () => ask('POST', '/admins/realms', { cookie, body: { id: `r${Math.random()}`.replace('.', ''), auth_params: {} } }),
      () => ask('POST', '/kmip/2_1', { cookie, body: { tag: 'Destroy', value: [{ tag: 'UniqueIdentifier', type: 'TextString', value: 'none' }] } }),
    ];
    // Until the log of the database has no room in what it has already.
    const made: string[] = [];
    const keep = (answer: Answer) => answer.status < 300 && made.push(answer.body.kid);
    keep(await make());
    try {
      assert.ok(disk.fill() > 0);
      await until(async () => (await ask('GET', '/ready')).text.includes('ENOSPC'), '/ready tells of the full disk', TOLD_MS);
      let answer = await make();
      for (let tries = 0; answer.status < 300 && tries < 2_000; tries++) {
        keep(answer);
        answer = await make();
      }
      assert.equal(answer.status, 503, answer.text);
      const answers = await Promise.all(writes.map((write) => write()));
      assert.deepEqual(
        answers.map(({ status, text }) => (status === 503 ? 503 : text)),
        writes.map(() => 503),
      );
      assert.equal((await ask('GET', '/whoami', { cookie })).status, 200);
    } finally {
      disk.empty();
    }
    await until(async () => (await ask('GET', '/ready')).status === 200, '/ready is well again', TOLD_MS);
    const later = await make();
    assert.equal(later.status, 200, later.text);
    const use = (kid: string) => ask('POST', '/v1/crypto/encrypt', { cookie, body: { kid, alg: 'dir', enc: 'A256GCM', data: 'AAAA' } });
    for (const kid of made) assert.equal((await use(kid)).status, 200, kid);
  });

if (disk)
  test('a migration that finds no room is told as that, for the operator who starts a new version', async () => {
    const store = await openStore(`sqlite:${join(dataDir, 'late.db')}`, { writer: 'test', clock: createClock() });
    await migrate(store, [], Date.now);
    const sql =
      'CREATE TABLE late (id TEXT); WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) INSERT INTO late SELECT hex(randomblob(99)) FROM n;';
    try {
      disk.fill();
      await assert.rejects(migrate(store, [{ owner: 'late', migrations: [{ id: 1, about: 'many rows', sql }] }], Date.now), (error) => {
        assert.equal(serverFailure(error), 'migration late/1 (many rows) failed: the store cannot be written or read now: the disk is full (SQLITE_FULL)');
        return true;
      });
    } finally {
      disk.empty();
    }
    assert.equal(await migrate(store, [{ owner: 'late', migrations: [{ id: 1, about: 'many rows', sql }] }], Date.now), 1);
    await store.close();
  });

test.run();
