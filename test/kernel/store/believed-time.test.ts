// A clock that jumps ahead, or is ahead when the server starts, deletes nothing for a day: not sessions, tokens and secret ids, nor the audit log.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { BelievedTime } from '../../../kernel/store/believed-time.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/store/open.ts';
import { AUTH_MIGRATIONS } from '../../../plugins/auth/migrations.ts';
import { startAuthActors } from '../../actors/auth-actors.ts';
import { testDatabases } from '../../stores.ts';

const [SECOND_MS, HOUR_MS, DAY_MS] = [1_000, 3_600_000, 86_400_000] as const;
const YEAR_MS = 365 * DAY_MS;
const BEGIN = 1_800_000_000_000;

function watched(wall = BEGIN) {
  const hands = { wall, elapsed: 5_000 };
  return {
    hands: { wallMs: () => hands.wall, elapsedMs: () => hands.elapsed },
    pass(ms: number) {
      hands.wall += ms;
      hands.elapsed += ms;
    },
    jump(ms: number) {
      hands.wall += ms;
    },
  };
}

test('it is the clock while that goes with what elapses, also if it is corrected or nobody looks for long', () => {
  const { hands, pass, jump } = watched();
  const time = new BelievedTime(hands, BEGIN);
  for (const ms of [SECOND_MS, HOUR_MS, YEAR_MS]) {
    pass(ms);
    jump(30 * SECOND_MS);
    assert.equal(time.now(), hands.wallMs());
  }
});

test('after a jump ahead it goes on as before, and is the clock again when that is back', () => {
  const { hands, pass, jump } = watched();
  const time = new BelievedTime(hands, BEGIN);
  jump(10 * YEAR_MS);
  assert.equal(time.now(), BEGIN);
  pass(DAY_MS - SECOND_MS);
  assert.equal(time.now(), BEGIN + DAY_MS - SECOND_MS);
  jump(-10 * YEAR_MS);
  assert.equal(time.now(), BEGIN + DAY_MS - SECOND_MS);
  // The next jump has a day of its own.
  jump(YEAR_MS);
  pass(2 * SECOND_MS);
  assert.equal(time.now(), BEGIN + DAY_MS + SECOND_MS);
});

test('a clock that stays where it jumped is believed after a day; one that jumps on has not stayed', () => {
  const { hands, pass, jump } = watched();
  const time = new BelievedTime(hands, BEGIN);
  jump(YEAR_MS);
  time.now();
  pass(20 * HOUR_MS);
  jump(YEAR_MS);
  assert.equal(time.now(), BEGIN + 20 * HOUR_MS);
  pass(20 * HOUR_MS);
  assert.equal(time.now(), BEGIN + 40 * HOUR_MS);
  pass(4 * HOUR_MS);
  assert.equal(time.now(), BEGIN + 2 * YEAR_MS + 44 * HOUR_MS);
});

test('a clock that is ahead by no more than is tolerated is believed at once', () => {
  const { hands, jump } = watched();
  const time = new BelievedTime(hands, BEGIN - 20 * DAY_MS, 30 * DAY_MS);
  assert.equal(time.now(), BEGIN);
  jump(30 * DAY_MS);
  assert.equal(time.now(), BEGIN + 30 * DAY_MS);
  jump(31 * DAY_MS);
  assert.equal(time.now(), BEGIN + 30 * DAY_MS);
});

test('it is whole milliseconds, whatever has elapsed', () => {
  let elapsed = 0;
  const time = new BelievedTime({ wallMs: () => BEGIN + YEAR_MS, elapsedMs: () => (elapsed += 0.7) }, BEGIN);
  assert.equal(time.now(), BEGIN);
});

test('a clock that is set back is believed at once', () => {
  const { hands, jump } = watched();
  const time = new BelievedTime(hands, BEGIN);
  jump(-YEAR_MS);
  assert.equal(time.now(), BEGIN - YEAR_MS);
});

const databases = await testDatabases();
test.after(async () => {
  for (const database of databases) await database.stop();
});

/** By the clock of the machine all is over; when the newest row of the audit log was written, nothing was. */
const WRITTEN = Date.now() - 400 * DAY_MS;
const ENDED = WRITTEN + 3 * HOUR_MS;
const ROWS = [
  "audit (stream, seq, time, event, outcome, prev) VALUES ('s', 1, $1, 'e', 'success', ''), ('s', 2, $2, 'e', 'success', '')",
  "session (id, cookie_hash, realm, username, scheme, created_at, seen_at, max_age_seconds, max_stale_age_seconds, claims) VALUES ('i', CAST('a' AS BYTEA), 'r', 'u', 'up', $1, $1, 10800, 10800, '{}')",
  "app_token (digest, accessor, kind, role, entity, policies, created_at, expires_at, lease_seconds, max_expires_at) VALUES ('d', 'a', 'approle', 'r', 'e', '[]', $1, $2, 1, 1)",
  "secret_id (accessor, digest, role, created_at, expires_at, num_uses, uses, exhausted_at) VALUES ('a', 'd', 'r', $1, $2, 0, 0, 0)",
  "lockout_nobody (realm, username, factor, source, failures, window_started_at, locked_until) VALUES ('r', 'u', 'password', 's', 1, $1, $2)",
  "signing_key (kid, purpose, public_jwk, wrapped, created_at, signed_until, retired_at) VALUES ('k', 'session', '{}', CAST('a' AS BYTEA), $1, $2, $1)",
];
/** The actors write rows of their own into these tables. */
const MINE: Readonly<Record<string, string>> = { audit: `time <= ${WRITTEN}`, signing_key: "kid = 'k'" };

for (const database of databases)
  test(`${database.dialect}: actors that start with a clock that is ahead of the audit log delete nothing for a day`, async () => {
    const url = await database.url();
    const store = await openStore(url, { writer: 'w', clock: createClock() });
    await migrate(store, [{ owner: 'auth', migrations: AUTH_MIGRATIONS }], () => WRITTEN);
    await store.transaction(async (tx) => {
      await tx.run(
        "INSERT INTO approle (name, role_id, token_ttl_seconds, token_max_ttl_seconds, token_policies, secret_id_ttl_seconds, bind_secret_id) VALUES ('r', 'id', 1, 1, '[]', 1, 1)",
      );
      for (const row of ROWS)
        await tx.run(`INSERT INTO ${row}`, row.startsWith('audit') ? [WRITTEN - DAY_MS, WRITTEN] : [WRITTEN, ENDED].slice(0, row.includes('$2') ? 2 : 1));
    });
    const left = async () => {
      const counts = ROWS.map((row) => row.split(' ')[0] as string).map((table) => `(SELECT COUNT(*) FROM ${table} WHERE ${MINE[table] ?? '1 = 1'})`);
      return Object.values((await store.get<Record<string, number>>(`SELECT ${counts.map((count, at) => `${count} AS n${at}`).join(', ')}`, [])) ?? {}).join(
        ' ',
      );
    };
    const actors = await startAuthActors(database, url);
    try {
      await actors.runtime.advance(2 * HOUR_MS);
      assert.equal(await left(), '2 1 1 1 1 1');
      // What ends by what has elapsed does not wait.
      await actors.runtime.advance(2 * HOUR_MS);
      assert.equal(await left(), '2 0 0 0 0 0');
      await actors.runtime.advance(DAY_MS);
      // The last row of a stream stays.
      assert.equal(await left(), '1 0 0 0 0 0');
    } finally {
      await actors.stop();
      await store.close();
    }
  });

test.run();
