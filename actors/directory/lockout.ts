// Counts failed attempts by credential, factor and source, and locks after too many. Strangers cannot lock a user out at a known source.
import { hash } from 'node:crypto';
import type { Reader, Store, Transaction } from '../../kernel/store/store.ts';
import { sweep } from '../../kernel/store/sweep.ts';
import type { Factor } from './api.ts';
import type { LockoutPolicy } from './directory-server.ts';

interface Row {
  readonly failures: number;
  readonly window_started_at: number;
  readonly locked_until: number;
}

/** In place of a source: the counter over all sources. */
const ALL = '*';
/** A source is known for this long after a completed login. */
export const KNOWN_MS = 30 * 86_400_000;

const lockOf = (factor: Factor, source: string, name: string) =>
  `COALESCE(MAX(CASE WHEN factor = '${factor}' AND source = ${source} AND locked_until > $5 THEN 1 ELSE 0 END), 0) AS "${name}"`;
/** Always returns one row of the same shape. */
const locksIn = (table: Counters['table']) => `SELECT ${lockOf('password', '$3', 'passwordHere')}, ${lockOf('password', '$4', 'passwordAll')},
  ${lockOf('totp', '$3', 'totpHere')}, ${lockOf('totp', '$4', 'totpAll')} FROM ${table} WHERE realm = $1 AND username = $2 AND source IN ($3, $4)`;

/** The rows that count failures: one for the source `here`, and one for all sources. */
interface Counters {
  readonly table: 'lockout' | 'lockout_nobody';
  readonly realm: string;
  readonly username: string;
  readonly here: string;
}

/** An attempt to prove an identity, and its source. */
export interface Trier {
  readonly realm: string;
  readonly username: string;
  readonly source: string;
  /** The credential exists. */
  readonly exists: boolean;
}

/**
 * Attempts that lock nothing write as many rows of the same length, in a table that is never used for a decision. All names share 256 such rows:
 * a single row would make all nodes wait for each other.
 */
function countersOf({ realm, username, source }: Omit<Trier, 'exists'>): Readonly<Record<'own' | 'nobodys', Counters>> {
  const bucket = hash('sha256', `${realm}/${username}`, 'hex').slice(0, 2);
  return { own: { table: 'lockout', realm, username, here: source }, nobodys: { table: 'lockout_nobody', realm: '', username: bucket, here: '' } };
}

/**
 * Does the same work whether or not there are locks and whether or not the credential exists, so that its time reveals nothing. Reading a page of
 * the database costs more than anything else here, so unknown names also have rows to read.
 */
export async function lockedFactors(store: Reader, trier: Trier, now: number): Promise<Factor[]> {
  const { realm, username, source, exists } = trier;
  const { table, ...counters } = countersOf(trier)[exists ? 'own' : 'nobodys'];
  const row = await store.get<Record<'passwordHere' | 'passwordAll' | 'totpHere' | 'totpAll', number>>(locksIn(table), [
    counters.realm,
    counters.username,
    counters.here,
    ALL,
    now,
  ]);
  const known = await store.get('SELECT source FROM login_source WHERE realm = $1 AND username = $2 AND source = $3 AND completed_at > $4', [
    realm,
    username,
    source,
    now - KNOWN_MS,
  ]);
  const isLocked = (here = 0, all = 0) => here === 1 || (all === 1 && known === undefined);
  const factors: Factor[] = isLocked(row?.passwordHere, row?.passwordAll) ? ['password'] : [];
  if (isLocked(row?.totpHere, row?.totpAll)) factors.push('totp');
  return factors;
}

/** Removes the locks of a factor for every source, because the secret that was guessed at has been replaced. */
export async function openLock(tx: Transaction, realm: string, username: string, factor: Factor): Promise<void> {
  await tx.run('DELETE FROM lockout WHERE realm = $1 AND username = $2 AND factor = $3', [realm, username, factor]);
}

/** Deletes counters that have expired, and sources that are no longer known. Treats both kinds of counters alike, so that the time of an answer reveals nothing. */
export async function purgeCounters(store: Store, { windowMs }: LockoutPolicy, now: number): Promise<void> {
  const over = { key: ['realm', 'username', 'factor', 'source'], where: 'window_started_at <= $1 AND locked_until <= $2', params: [now - windowMs, now] };
  await sweep(store, { table: 'lockout', ...over });
  await sweep(store, { table: 'lockout_nobody', ...over });
  await sweep(store, { table: 'login_source', key: ['realm', 'username', 'source'], where: 'completed_at <= $1', params: [now - KNOWN_MS] });
}

interface Failure {
  readonly realm: string;
  readonly username: string;
  readonly factor: Factor;
  readonly source: string;
  readonly isGuess: boolean;
}

/**
 * Does not count attempts during a lock, so that the lock ends at its time, nor attempts for unknown names, so that nobody can fill the table, nor what
 * was no guess, such as a code that was used a moment ago. All of them write as many rows to a table that locks nobody, so that the time of the answer reveals nothing.
 * @returns the sources that this failure has locked
 */
export async function countFailure(tx: Transaction, failure: Failure, policy: LockoutPolicy, now: number): Promise<string[]> {
  const { realm, username, factor } = failure;
  const found = await tx.get<{ n: number }>('SELECT COUNT(*) AS n FROM userpass WHERE realm = $1 AND username = $2', [realm, username]);
  const trier = { ...failure, exists: found?.n === 1 };
  const isLocked = (await lockedFactors(tx, trier, now)).includes(factor);
  const isCounted = trier.exists && !isLocked && failure.isGuess;
  const counters = countersOf(trier)[isCounted ? 'own' : 'nobodys'];
  const locked: string[] = [];
  for (const [counter, most] of [
    [counters.here, policy.failures],
    [ALL, policy.failuresAllSources],
  ] as const) {
    const isOver = await countOne(
      tx,
      counters.table,
      [counters.realm, counters.username, factor, counter],
      isCounted ? most : Number.POSITIVE_INFINITY,
      policy,
      now,
    );
    if (isOver) locked.push(counter);
  }
  return locked;
}

type Key = readonly [realm: string, username: string, factor: Factor, source: string];

async function countOne(tx: Transaction, table: Counters['table'], key: Key, most: number, policy: LockoutPolicy, now: number): Promise<boolean> {
  const row = await tx.get<Row>(
    `SELECT failures, window_started_at, locked_until FROM ${table} WHERE realm = $1 AND username = $2 AND factor = $3 AND source = $4`,
    key,
  );
  // Known sources may still try during the lock of all others: that lock neither ends sooner nor lasts longer for it.
  const holds = row !== undefined && row.locked_until > now;
  const fresh = !row || (!holds && (now - row.window_started_at >= policy.windowMs || row.locked_until > 0));
  const failures = fresh ? 1 : row.failures + (holds ? 0 : 1);
  const lockedUntil = holds ? row.locked_until : failures >= most ? now + policy.lockMs : 0;
  await tx.run(
    `INSERT INTO ${table} (realm, username, factor, source, failures, window_started_at, locked_until) VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (realm, username, factor, source) DO UPDATE SET failures = $5, window_started_at = $6, locked_until = $7`,
    [...key, failures, fresh ? now : row.window_started_at, lockedUntil],
  );
  return lockedUntil > 0 && !holds;
}
