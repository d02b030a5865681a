// Accounts record who has had a name. A name may be used again, an account never is. Everything that a caller owns belongs to the account.
//
// The first holder of a name has the name as account ID, so that no row is needed until the account ends. Later holders get new IDs. Realms and
// cluster roles have accounts too; IDs within them begin with their ID. Rows are never deleted.
import { randomUUID } from 'node:crypto';
import { ACCOUNT, nameOfId, namingOf, scopeOf } from './account-name.ts';
import type { Reader, Transaction } from './store.ts';
import { CHUNK, valueList } from './value-list.ts';

/** An account as users see it. */
export interface AccountView {
  readonly name: string;
  /** Its holder was deleted: nobody can sign in to it any more. */
  readonly isEnded: boolean;
  /** Milliseconds since the epoch; null if unknown or not ended. */
  readonly endedAt: number | null;
}

const LIVE = 'SELECT id, held FROM account WHERE name = $1 AND ended_at IS NULL';
/** Subquery for tables that refer to accounts: the ID of the live account with the name `$1`, or no row. */
export const LIVE_ID = 'SELECT id FROM account WHERE name = $1 AND ended_at IS NULL';
/** The same, without accounts that still wait for their first holder. */
export const HELD_ID = `${LIVE_ID} AND held = 1`;

/**
 * Gives the name to a new holder: a realm, a credential or a role. An existing holder keeps it.
 * @returns the ID of the account: the one that waits for its first holder, or a new one
 */
export async function holdName(tx: Transaction, name: string): Promise<string> {
  const live = await tx.get<{ id: string; held: number }>(LIVE, [name]);
  if (!live) return insert(tx, name, await freeId(tx, name), 1);
  if (live.held === 0) await tx.run('UPDATE account SET held = 1 WHERE id = $1', [live.id]);
  return live.id;
}

/** Ends the account of the name and, for a realm or role, all accounts within it. @param now milliseconds since the epoch */
export async function endName(tx: Transaction, name: string, now: number): Promise<void> {
  await tx.run('UPDATE account SET ended_at = $2 WHERE (name = $1 OR scope = $1) AND ended_at IS NULL', [name, now]);
}

/** Ends the accounts of users, whose names are no scopes. @param names at most CHUNK of them */
export async function endUsers(tx: Transaction, names: readonly string[], now: number): Promise<void> {
  const { sql, params } = valueList(names, 2);
  await tx.run(`UPDATE account SET ended_at = $1 WHERE name IN (${sql}) AND ended_at IS NULL`, [now, ...params]);
}

/**
 * @returns the ID of the account that the name stands for now, or will stand for when somebody gets it; undefined for a name that nobody
 * can have, or whose holder was deleted and for whose successor nothing is kept
 */
export async function accountOf(from: Reader, name: string): Promise<string | undefined> {
  const naming = namingOf(name);
  if (naming?.kind === 'outside') return naming.id;
  if (naming?.kind !== 'guest') return naming && findOrFree(from, name);
  const scope = await findOrFree(from, naming.scope);
  return scope === undefined ? undefined : scope + naming.local;
}

/** Like `accountOf`, but creates the account of a successor if there is none. @returns undefined for a name that nobody can have */
export async function accountToBe(tx: Transaction, name: string): Promise<string | undefined> {
  const known = await accountOf(tx, name);
  const naming = namingOf(name);
  if (known !== undefined || naming === undefined || naming.kind === 'outside') return known;
  if (naming.kind !== 'role' && (await findOrFree(tx, naming.scope)) === undefined) await insert(tx, naming.scope, newId(naming.scope), 0);
  const within = await accountOf(tx, name);
  return within ?? insert(tx, name, newId(name), 0);
}

/** @returns the ID of the live account of a name; null if there is none. It takes one query in both cases. */
export async function liveAccount(from: Reader, name: string): Promise<string | null> {
  return (await from.get<{ id: string }>(LIVE, [name]))?.id ?? null;
}

/** @returns when the previous holder of the name was deleted, milliseconds since the epoch; undefined if nobody had it before */
export async function formerEndOf(from: Reader, name: string): Promise<number | undefined> {
  return (await from.get<{ last: number | null }>('SELECT MAX(ended_at) AS last FROM account WHERE name = $1', [name]))?.last ?? undefined;
}

/** @returns the IDs of all accounts that have ever had exactly this name */
export async function idsOfName(from: Reader, name: string): Promise<string[]> {
  return (await from.all<{ id: string }>('SELECT id FROM account WHERE name = $1 ORDER BY ended_at', [name])).map(({ id }) => id);
}

/** @returns the account ID of a realm or cluster role, with which the IDs in it begin */
export function accountOfScope(from: Reader, scope: string): Promise<string | undefined> {
  return findOrFree(from, scope);
}

/** Whether somebody has the name now, as far as the database knows: for a guest name, whether its realm or role exists. */
export async function isHeld(from: Reader, name: string): Promise<boolean> {
  const naming = namingOf(name);
  if (naming === undefined || naming.kind === 'outside') return naming !== undefined;
  return (await from.get<{ held: number }>(LIVE, [naming.kind === 'guest' ? naming.scope : name]))?.held === 1;
}

/** @returns a view for each ID */
export async function viewAccounts(from: Reader, ids: Iterable<string>): Promise<ReadonlyMap<string, AccountView>> {
  const all = [...new Set(ids)];
  const rows = await rowsOf(from, [...new Set(all.flatMap((id) => [id, scopeOf(id) ?? id]))]);
  return new Map(
    all.map((id) => {
      const scope = rows.get(scopeOf(id) ?? '');
      const own = rows.get(id);
      const { name, isPast } = nameOfId(id);
      const endedAt = own?.ended_at ?? scope?.ended_at ?? null;
      const inScope = scope ? scope.name + id.slice(scope.id.length) : name;
      return [id, { name: own?.name ?? inScope, isEnded: isPast || endedAt !== null, endedAt }];
    }),
  );
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly ended_at: number | null;
}

async function rowsOf(from: Reader, ids: readonly string[]): Promise<Map<string, Row>> {
  const found = new Map<string, Row>();
  for (let at = 0; at < ids.length; at += CHUNK) {
    const { sql, params } = valueList(ids.slice(at, at + CHUNK), 1);
    for (const row of await from.all<Row>(`SELECT id, name, ended_at FROM account WHERE id IN (${sql})`, params)) found.set(row.id, row);
  }
  return found;
}

/** @returns the ID of the live account; else the ID that the first holder will get; undefined if there was a first holder */
async function findOrFree(from: Reader, name: string): Promise<string | undefined> {
  const live = await from.get<{ id: string }>(LIVE, [name]);
  if (live) return live.id;
  const first = await firstId(from, name);
  return first === undefined || (await from.get('SELECT id FROM account WHERE id = $1', [first])) ? undefined : first;
}

/** @returns undefined if the name is within a deleted realm or role */
async function firstId(from: Reader, name: string): Promise<string | undefined> {
  const scope = scopeOf(name);
  if (scope === undefined || scope === name) return name;
  const id = await findOrFree(from, scope);
  return id === undefined ? undefined : id + name.slice(scope.length);
}

async function freeId(tx: Transaction, name: string): Promise<string> {
  return (await findOrFree(tx, name)) ?? newId(name);
}

const newId = (name: string): string => `${ACCOUNT}${randomUUID()}${name.endsWith('/') ? '/' : ''}`;

async function insert(tx: Transaction, name: string, id: string, held: 0 | 1): Promise<string> {
  const scope = scopeOf(name);
  await tx.run('INSERT INTO account (id, name, scope, held) VALUES ($1, $2, $3, $4)', [id, name, scope === name ? null : (scope ?? null), held]);
  return id;
}
