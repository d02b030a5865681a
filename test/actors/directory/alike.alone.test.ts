// What the directory does for a login takes the same time for a name that is there, one that is not, and one that is locked: the differences are too small to be seen over HTTPS on a busy machine.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import type { DirectoryServer } from '../../../actors/directory/directory-server.ts';
import { loginApi } from '../../../actors/directory/login-api.ts';
import { createClock } from '../../../kernel/clock.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/store/open.ts';
import { AUTH_MIGRATIONS } from '../../../plugins/auth/migrations.ts';
import { chanceSmaller, median } from '../../security/distributions.ts';
import { temporaryFolder } from '../../server.ts';

/** 4000 of each scatter around 0.5 with a deviation of 0.0065; where an existing name reads three pages more, the chance is 0.58. */
const TRIES = 4_000;
const WARM_UP = 300;
const MAX_CHANCE = 0.03;
/** The password is hashed after the look-up, for tens of milliseconds that scatter by more than a hundred times as much. */
const MAX_APART_MS = 0.001;
const MEASUREMENTS = 3;
const SOURCE = '127.0.0.1';
const NAMES = ['ann', 'bob', 'cyd', 'aaa'] as const;
type Name = (typeof NAMES)[number];
/** An existing one with another that is locked, and missing ones between the others and behind them. */
const PAIRS = [
  ['cyd', 'ann'],
  ['aaa', 'ann'],
  ['bob', 'ann'],
] as const;

const folder = temporaryFolder();
mkdirSync(folder, { recursive: true });
const clock = createClock();
const store = await openStore(`sqlite:${join(folder, 'alike.db')}`, { writer: 'test', clock });
const lockout = { failures: 1e9, failuresAllSources: 1e9, windowMs: 900_000, lockMs: 1_000 };
const { findSignIn, refuse } = loginApi({ store, clock, args: { lockout } } as unknown as DirectoryServer);

test.before(async () => {
  await migrate(store, [{ owner: 'auth', migrations: AUTH_MIGRATIONS }], () => clock.now());
  await store.transaction(async (tx) => {
    await tx.run(`INSERT INTO realm (id, auth_params, session_max_age_seconds, session_max_stale_age_seconds, certificate_max_age_seconds, password_max_age_seconds)
      VALUES ('r', '{}', 1, 1, 1, 0)`);
    const user = `INSERT INTO userpass (realm, username, password_hash, change_password, roles, extra_claims, password_set_at, revision)
      VALUES ('r', $1, $2, 0, $3, NULL, $4, 123456789)`;
    // As long as they may be, nearly: what comes of them must not be in the time either.
    const roles = JSON.stringify(Array.from({ length: 15 }, (_, at) => String(at).padStart(250, 'x')));
    for (const name of ['ann', 'bob']) await tx.run(user, [name, '$'.repeat(97), roles, clock.now()]);
    const lock = `INSERT INTO lockout (realm, username, factor, source, failures, window_started_at, locked_until) VALUES ('r', 'bob', 'password', $1, 10, $2, $3)`;
    for (const source of [SOURCE, '*']) await tx.run(lock, [source, clock.now(), clock.now() + 1e9]);
  });
});
test.after(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** In random order, each after a refusal has been written: pages of the database are then to be read again. */
async function measure(): Promise<Record<Name, number[]>> {
  const times: Record<Name, number[]> = { ann: [], bob: [], cyd: [], aaa: [] };
  for (let at = 0; at < TRIES + WARM_UP; at++) {
    const names = [...NAMES].sort(() => Math.random() - 0.5);
    for (const name of names) {
      const startedAt = performance.now();
      await findSignIn('r', name, SOURCE);
      if (at >= WARM_UP) times[name].push(performance.now() - startedAt);
      await refuse({ event: 'login', outcome: 'refused', realm: 'r', actor: name, scheme: 'up', source: SOURCE, reason: 'password' }, 'password', name, SOURCE);
    }
  }
  return times;
}

function told(times: Record<Name, number[]>): string[] {
  return PAIRS.flatMap(([a, b]) => {
    const chance = chanceSmaller(times[a], times[b]);
    const apartMs = Math.abs(median(times[a]) - median(times[b]));
    const text = `${a} and ${b}: ${[a, b].map((name) => `${(median(times[name]) * 1000).toFixed(1)} µs`).join(' and ')}, chance ${chance.toFixed(3)}`;
    console.log(text);
    return Math.abs(chance - 0.5) > MAX_CHANCE && apartMs > MAX_APART_MS ? [text] : [];
  });
}

test('a login of a missing, an existing and a locked name is looked up in the same time', async () => {
  // Rows of failures are there from now on, for all of them.
  let apart = told(await measure());
  for (let again = 1; apart.length > 0 && again < MEASUREMENTS; again++) apart = told(await measure());
  assert.deepEqual(apart, []);
});

test('a look-up finds what an existing name needs, and nothing of its neighbour for a missing one', async () => {
  const [ann, cyd] = [await findSignIn('r', 'ann', SOURCE), await findSignIn('r', 'cyd', SOURCE)];
  assert.deepEqual([ann.credential?.passwordHash, ann.credential?.revision, ann.nobody], ['$'.repeat(97), 123_456_789, null]);
  assert.equal(cyd.credential, null);
  assert.deepEqual(Object.keys(cyd.nobody ?? {}), Object.keys(ann.credential ?? {}));
  assert.equal(cyd.nobody?.passwordHash, 'x'.repeat(97));
  assert.deepEqual([(await findSignIn('r', 'bob', SOURCE)).locked, ann.locked, cyd.locked], [['password'], [], []]);
});

test.run();
