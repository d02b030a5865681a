// An upgrade node by node: a node of an older version and one of this on one PostgreSQL, which the newer migrates while the older serves.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { test } from 'uvu';
import { type Postgres, startPostgres } from '../postgres.ts';
import { until } from '../runtime.ts';
import { type Ask, temporaryFolder } from '../server.ts';
import { skipWithout } from '../system.ts';
import { launchOld, layOut, olderVersion, startOld } from './older-version.ts';
import { exitOf, type Started, start } from './started.ts';
import { ALL_ACCEPTED, ALL_REVOKED, type Belongings, ok, okInTheEnd, PASSWORD, revoke, signIn, take, used } from './two-versions.ts';

/** From each node to the other. */
const ROUNDS = 6;
/** From 256 on, connections take room in advance of what is counted. */
const KEYS = 300;
const AT_ONCE = 8;
const ROLE = 'both';

const version = olderVersion();
if (version === undefined) console.log('skipped: two-versions.test.ts needs the history of the repository');
else if (!skipWithout('postgresql')) {
  const folder = temporaryFolder();
  const old = join(folder, 'old');
  const env = {
    GATEHOUSE_STORE_ROOT_KEY: randomBytes(32).toString('hex'),
    GATEHOUSE_ADMIN_PASSWORD: 'the first password',
    GATEHOUSE_STORE_URL: '',
    GATEHOUSE_AUTH_LOGIN_RATE_PER_SECOND: '1000',
    GATEHOUSE_AUTH_LOGIN_RATE_BURST: '1000',
  };
  const kept: Belongings[] = [];
  let postgres: Postgres;
  let older: Started;
  let newer: Started;
  let cookie: string;
  let roleId: string;
  let isMigrated: boolean;

  test.before(async () => {
    layOut(version, old);
    postgres = await startPostgres();
    env.GATEHOUSE_STORE_URL = await postgres.database();
    older = await startOld(old, join(folder, 'older'), env);
    await ok(older.ask('POST', '/login?realm=_', { user: `admin:${env.GATEHOUSE_ADMIN_PASSWORD}`, body: { new_password: PASSWORD } }));
    cookie = (await signIn(older.ask)).cookie;
    await ok(older.ask('POST', `/auth/approle/role/${ROLE}`, { cookie, body: { bind_secret_id: false } }));
    roleId = (await ok(older.ask('GET', `/auth/approle/role/${ROLE}/role-id`, { cookie }))).body.data.role_id;
  });
  test.after(async () => {
    for (const { child } of [older, newer].filter(Boolean)) child.kill('SIGKILL');
    await postgres?.stop();
    rmSync(folder, { recursive: true });
  });

  const rows = async <T extends object>(sql: string): Promise<T[]> => {
    const client = new pg.Client({ connectionString: env.GATEHOUSE_STORE_URL });
    await client.connect();
    const { rows: found } = await client.query<T>(sql);
    await client.end();
    return found;
  };
  const levels = async () =>
    (await rows<{ level: string }>(`SELECT owner || '/' || MAX(id) AS level FROM migration GROUP BY owner ORDER BY owner`)).map(({ level }) => level);

  test(`the node of ${version.slice(0, 12)} serves while this version migrates its database`, async () => {
    const before = await levels();
    let isOver = false;
    const load = (async () => {
      while (!isOver) kept.push(await take(older.ask, cookie, roleId));
    })();
    newer = await start(join(folder, 'newer'), [], env);
    const there = kept.length;
    isMigrated = (await levels()).join() !== before.join();
    await Promise.race([load, until(() => kept.length > there + 2, 'the older node goes on')]);
    isOver = true;
    await load;
    for (const { ask } of [older, newer]) for (const each of kept) assert.deepEqual(await used(ask, cookie, each), ALL_ACCEPTED);
  });

  test('what either has given the other accepts, and what either has revoked the other refuses at once', async () => {
    for (let at = 0; at < ROUNDS; at++)
      for (const [one, other] of [[older, newer] as const, [newer, older] as const]) {
        const [revoked, left] = [await take(one.ask, cookie, roleId), await take(one.ask, cookie, roleId)];
        assert.deepEqual(await used(other.ask, cookie, revoked), ALL_ACCEPTED);
        await revoke(one.ask, cookie, revoked);
        assert.deepEqual(await used(other.ask, cookie, revoked), ALL_REVOKED, `round ${at}, ${one === older ? 'revoked by the older' : 'by the newer'}`);
        kept.push(left);
      }
  });

  test('keys that both make at once for one owner are counted to the last one', async () => {
    const makes = (ask: Ask) => async () => {
      for (let at = 0; at < KEYS / AT_ONCE; at++) await okInTheEnd(() => ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } }));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => makes((at % 2 === 0 ? older : newer).ask)()));
    const room = `COALESCE((SELECT SUM(room) FROM kms_usage_room WHERE kind = 'object'), 0)`;
    const counted = `SELECT SUM(amount) - ${room} AS counted, (SELECT COUNT(*) FROM kms_object) AS there FROM kms_usage WHERE kind = 'object'`;
    const [{ counted: sum, there } = {}] = await rows<{ counted: string; there: string }>(counted);
    assert.equal(Number(sum), Number(there));
    assert.ok(Number(there) > KEYS);
  });

  test('what the older node gave outlives it; where tables were changed, it does not start again', async () => {
    older.child.kill('SIGTERM');
    assert.equal(await exitOf(older.child), 0, older.output.text);
    for (const each of kept) assert.deepEqual(await used(newer.ask, cookie, each), ALL_ACCEPTED);
    if (!isMigrated) return;
    const { child, output } = launchOld(old, join(folder, 'older'), env);
    assert.equal(await exitOf(child), 1, output.text);
    assert.match(output.text, /cannot start: the database has migration \w+\/\d+, but this version knows migrations up to/);
  });
}

test.run();
