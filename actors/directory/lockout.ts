// Counts failed tries per credential, factor and source, and locks what has failed too often; strangers cannot lock a user out of a known place.
import type { Reader, Transaction } from '../../kernel/store/store.ts';
import type { Factor } from './api.ts';
import type { LockoutPolicy } from './part.ts';

interface Row {
  readonly failures: number;
  readonly window_started_at: number;
  readonly locked_until: number;
}

/** The counter over all sources. */
const ALL = '*';
/** A source that completed a login within this time is known. */
export const KNOWN_MS = 30 * 86_400_000;

export async function lockedFactors(store: Reader, realm: string, username: string, source: string, now: number): Promise<Factor[]> {
  const sql = 'SELECT factor, source FROM lockout WHERE realm = $1 AND username = $2 AND source IN ($3, $4) AND locked_until > $5';
  const rows = await store.all<{ factor: Factor; source: string }>(sql, [realm, username, source, ALL, now]);
  if (rows.length === 0) return [];
  const known = await store.get('SELECT source FROM login_source WHERE realm = $1 AND username = $2 AND source = $3 AND completed_at > $4', [
    realm,
    username,
    source,
    now - KNOWN_MS,
  ]);
  return rows.filter((row) => row.source !== ALL || known === undefined).map(({ factor }) => factor);
}

/** @returns the sources that this failure has locked */
export async function countFailure(
  tx: Transaction,
  realm: string,
  username: string,
  factor: Factor,
  source: string,
  policy: LockoutPolicy,
  now: number,
): Promise<string[]> {
  // Tries while locked count nothing: a lock ends when it was said to end.
  if ((await lockedFactors(tx, realm, username, source, now)).includes(factor)) return [];
  const locked: string[] = [];
  for (const [counter, most] of [
    [source, policy.failures],
    [ALL, policy.failuresAllSources],
  ] as const) {
    if (await countOne(tx, realm, username, factor, counter, most, policy, now)) locked.push(counter);
  }
  return locked;
}

async function countOne(
  tx: Transaction,
  realm: string,
  username: string,
  factor: Factor,
  source: string,
  most: number,
  policy: LockoutPolicy,
  now: number,
): Promise<boolean> {
  const key = [realm, username, factor, source] as const;
  const row = await tx.get<Row>(
    'SELECT failures, window_started_at, locked_until FROM lockout WHERE realm = $1 AND username = $2 AND factor = $3 AND source = $4',
    key,
  );
  const fresh = !row || now - row.window_started_at >= policy.windowMs || (row.locked_until > 0 && row.locked_until <= now);
  const failures = fresh ? 1 : row.failures + 1;
  const lockedUntil = failures >= most ? now + policy.lockMs : 0;
  await tx.run(
    `INSERT INTO lockout (realm, username, factor, source, failures, window_started_at, locked_until) VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (realm, username, factor, source) DO UPDATE SET failures = $5, window_started_at = $6, locked_until = $7`,
    [...key, failures, fresh ? now : row.window_started_at, lockedUntil],
  );
  return lockedUntil > 0;
}
