// Accounts: who has had a name. A name may be used again, an account never is; what belongs to somebody belongs to the account.
//
// The first who has a name has it as the id too, so that nothing needs a row before it has an end; whoever has it next gets a new id. Within a
// realm or the role of a cluster, which have accounts of their own, ids begin with the id of that. Rows are never taken away.
import { randomUUID } from 'node:crypto';
import { ACCOUNT, nameOfId, namingOf, scopeOf } from './account-name.ts';
import type { Reader, Transaction } from './store.ts';

/** An account as people are told of it. */
export interface AccountView {
  readonly name: string;
  /** Its holder is gone: nobody signs in to it any more. */
  readonly isEnded: boolean;
  /** Milliseconds since the epoch; null where it is not known, or not over. */
  readonly endedAt: number | null;
}

const LIVE = 'SELECT id, held FROM account WHERE name = $1 AND ended_at IS NULL';
/** A subquery for statements on tables that refer to accounts: the id of the live account of the name `$1`, and no row where there is none. */
export const LIVE_ID = 'SELECT id FROM account WHERE name = $1 AND ended_at IS NULL';
/** Likewise, where somebody has the name; an account that waits for its first holder is left out. */
export const HELD_ID = `${LIVE_ID} AND held = 1`;
/** Rows of one statement. */
const CHUNK = 512;

/**
 * Somebody has the name from now on: a realm, a credential, a role; who has it already keeps it.
 * @returns the account: that which waits for the first to come, or a new one
 */
export async function holdName(tx: Transaction, name: string): Promise<string> {
  const live = await tx.get<{ id: string; held: number }>(LIVE, [name]);
  if (!live) return insert(tx, name, await freeId(tx, name), 1);
  if (live.held === 0) await tx.run('UPDATE account SET held = 1 WHERE id = $1', [live.id]);
  return live.id;
}

/** Nobody has the name any more, nor any name in the realm or role that it stands for. @param now milliseconds since the epoch */
export async function endName(tx: Transaction, name: string, now: number): Promise<void> {
  await tx.run('UPDATE account SET ended_at = $2 WHERE (name = $1 OR scope = $1) AND ended_at IS NULL', [name, now]);
}

/**
 * The account that a name stands for now, or will stand for when somebody has it.
 * @returns undefined for a name that nobody can have, or whose holder is gone and has no successor that anything was kept for
 */
export async function accountOf(from: Reader, name: string): Promise<string | undefined> {
  const naming = namingOf(name);
  if (naming?.kind === 'outside') return naming.id;
  if (naming?.kind !== 'guest') return naming && findOrFree(from, name);
  const scope = await findOrFree(from, naming.scope);
  return scope === undefined ? undefined : scope + naming.local;
}

/** Like `accountOf`, but what is kept for a successor has an account from now on. @returns undefined for a name that nobody can have */
export async function accountToBe(tx: Transaction, name: string): Promise<string | undefined> {
  const known = await accountOf(tx, name);
  const naming = namingOf(name);
  if (known !== undefined || naming === undefined || naming.kind === 'outside') return known;
  if (naming.kind !== 'role' && (await findOrFree(tx, naming.scope)) === undefined) await insert(tx, naming.scope, newId(naming.scope), 0);
  const within = await accountOf(tx, name);
  return within ?? insert(tx, name, newId(name), 0);
}

/** The account of a name that somebody has, or that is kept for a successor; null where there is none. One query, found or not. */
export async function liveAccount(from: Reader, name: string): Promise<string | null> {
  return (await from.get<{ id: string }>(LIVE, [name]))?.id ?? null;
}

/** The ids of all who have ever had exactly this name, the one who has it now too. */
export async function idsOfName(from: Reader, name: string): Promise<string[]> {
  return (await from.all<{ id: string }>('SELECT id FROM account WHERE name = $1 ORDER BY ended_at', [name])).map(({ id }) => id);
}

/** The account of a realm or of the role of a cluster, which the ids in it begin with. */
export function accountOfScope(from: Reader, scope: string): Promise<string | undefined> {
  return findOrFree(from, scope);
}

/** Whether somebody has the name at this moment, as far as that can be known: for one within a realm or role, whether that is there. */
export async function isHeld(from: Reader, name: string): Promise<boolean> {
  const naming = namingOf(name);
  if (naming === undefined || naming.kind === 'outside') return naming !== undefined;
  return (await from.get<{ held: number }>(LIVE, [naming.kind === 'guest' ? naming.scope : name]))?.held === 1;
}

/** The accounts of ids; each has a view. */
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
    const part = ids.slice(at, at + CHUNK);
    // Filled up to a power of two: statements are prepared by their text, which are to be few.
    const params = Array.from({ length: 2 ** Math.ceil(Math.log2(part.length)) }, (_, index) => part[index] ?? (part[0] as string));
    const sql = `SELECT id, name, ended_at FROM account WHERE id IN (${params.map((_, index) => `$${index + 1}`).join(', ')})`;
    for (const row of await from.all<Row>(sql, params)) found.set(row.id, row);
  }
  return found;
}

/** The live account of a name; without one the id that its first holder will have, unless there was one. */
async function findOrFree(from: Reader, name: string): Promise<string | undefined> {
  const live = await from.get<{ id: string }>(LIVE, [name]);
  if (live) return live.id;
  const first = await firstId(from, name);
  return first === undefined || (await from.get('SELECT id FROM account WHERE id = $1', [first])) ? undefined : first;
}

/** @returns undefined within a realm or role whose holder is gone */
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
