// The rows behind sessions.
import type { Reader, Store, Transaction } from '../../kernel/store/store.ts';
import { opensTo, requireAdministration, requireSuperAdmin } from '../directory/administered.ts';
import type { NewSession, SessionClient, SessionEnder, SessionView } from './api.ts';

export interface StoredSession extends SessionView {
  readonly cookieHash: Uint8Array;
  /** Last activity known to this actor. */
  seenAt: number;
  /** Last activity written to the row. */
  writtenAt: number;
}

interface Row {
  readonly id: string;
  readonly cookie_hash: Uint8Array;
  readonly realm: string;
  readonly username: string;
  readonly scheme: string;
  readonly created_at: number;
  readonly seen_at: number;
  readonly max_age_seconds: number;
  readonly max_stale_age_seconds: number;
  readonly claims: string;
}

type Claims = Pick<SessionView, 'jti' | 'roles' | 'extraClaims'>;

/** An idle session's row is behind its last activity by up to a tenth of the limit; it is kept that much longer. */
const EXPIRED = 'created_at + max_age_seconds * 1000 <= $1 OR seen_at + max_stale_age_seconds * 1100 + 1000 <= $1';

export async function readRow(store: Reader, id: string): Promise<StoredSession | undefined> {
  const sql = 'SELECT id, cookie_hash, realm, username, scheme, created_at, seen_at, max_age_seconds, max_stale_age_seconds, claims FROM session WHERE id = $1';
  const row = await store.get<Row>(sql, [id]);
  if (!row) return undefined;
  return {
    id: row.id,
    cookieHash: row.cookie_hash,
    realm: row.realm,
    username: row.username,
    scheme: row.scheme,
    createdAt: row.created_at,
    maxAgeSeconds: row.max_age_seconds,
    maxStaleAgeSeconds: row.max_stale_age_seconds,
    seenAt: row.seen_at,
    writtenAt: row.seen_at,
    ...(JSON.parse(row.claims) as Claims),
  };
}

/** The credential is looked at in the same transaction: a session made from a password that was changed meanwhile would survive the change. */
export function insertRow(store: Store, session: NewSession, now: number): Promise<boolean> {
  const { id, cookieHash, realm, username, scheme, maxAgeSeconds, maxStaleAgeSeconds, jti, roles, extraClaims, source } = session;
  return store.transaction(async (tx) => {
    const login = { event: 'login', realm, actor: username, scheme, source } as const;
    if (!(await mayBegin(tx, session))) {
      await tx.audit({ ...login, outcome: 'refused', reason: 'overtaken' });
      return false;
    }
    const claims: Claims = { jti, roles, extraClaims };
    await tx.run(
      `INSERT INTO session (id, cookie_hash, realm, username, scheme, created_at, seen_at, max_age_seconds, max_stale_age_seconds, claims)
       VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8, $9)`,
      [id, cookieHash, realm, username, scheme, now, maxAgeSeconds, maxStaleAgeSeconds, JSON.stringify(claims)],
    );
    await tx.audit({ ...login, outcome: 'success', target: id });
    return true;
  });
}

async function mayBegin(tx: Transaction, { realm, username, scheme, revision }: NewSession): Promise<boolean> {
  if (revision === null) {
    if (!(await tx.get('SELECT id FROM realm WHERE id = $1', [realm]))) return false;
  } else {
    const credential = await tx.get<{ revision: number }>('SELECT revision FROM userpass WHERE realm = $1 AND username = $2', [realm, username]);
    if (credential?.revision !== revision) return false;
  }
  return opensTo(tx, { realm, username, scheme });
}

/** @returns false when the row is gone */
export async function touchRow(store: Store, id: string, now: number): Promise<boolean> {
  return (await store.transaction((tx) => tx.run('UPDATE session SET seen_at = $1 WHERE id = $2', [now, id]))) === 1;
}

export function endRows(store: Store, ids: readonly string[], by: SessionEnder): Promise<number> {
  return store.transaction(async (tx) => {
    let ended = 0;
    for (const id of ids) {
      const row = await tx.get<SessionOwner>('SELECT realm, username, scheme FROM session WHERE id = $1', [id]);
      if (!row) continue;
      if (!isOwn(by, row)) await requireAdministration(tx, by, [row.realm]);
      await tx.run('DELETE FROM session WHERE id = $1', [id]);
      ended += 1;
      await tx.audit({ event: 'session.end', outcome: 'success', ...auditFields(by, row.realm), target: id });
    }
    return ended;
  });
}

export async function listRows(store: Reader, realm: string, clients: readonly SessionClient[], now: number): Promise<string[]> {
  const ids: string[] = [];
  const sql = `SELECT id FROM session WHERE realm = $1 AND username = $2 AND scheme = $3 AND NOT (${EXPIRED.replaceAll('$1', '$4')}) ORDER BY created_at, id`;
  for (const { username, scheme } of clients) ids.push(...(await store.all<{ id: string }>(sql, [realm, username, scheme, now])).map(({ id }) => id));
  return [...new Set(ids)];
}

/** @returns the owners of what was deleted, whose version counters have to move */
export function endRealmRows(store: Store, realm: string, by: SessionEnder): Promise<readonly { readonly username: string }[]> {
  return store.transaction(async (tx) => {
    await requireAdministration(tx, by, [realm]);
    const owners = await tx.all<{ username: string }>('SELECT username FROM session WHERE realm = $1', [realm]);
    await tx.run('DELETE FROM session WHERE realm = $1', [realm]);
    await tx.audit({ event: 'session.end_realm', outcome: 'success', ...auditFields(by, realm), target: `${owners.length} sessions` });
    return owners;
  });
}

export function purgeRows(store: Store, now: number, by: SessionEnder | undefined): Promise<number> {
  return store.transaction(async (tx) => {
    if (by) await requireSuperAdmin(tx, by);
    const purged = await tx.run(`DELETE FROM session WHERE ${EXPIRED}`, [now]);
    if (by) await tx.audit({ event: 'session.purge', outcome: 'success', ...auditFields(by, by.realm), target: `${purged} sessions` });
    return purged;
  });
}

type SessionOwner = Pick<SessionView, 'realm' | 'username' | 'scheme'>;

/** Users end their own. */
function isOwn(by: SessionOwner, { realm, username, scheme }: SessionOwner): boolean {
  return by.realm === realm && by.username === username && by.scheme === scheme;
}

function auditFields(by: SessionEnder, realm: string) {
  return { realm, actor: `${by.realm}/${by.username}`, scheme: by.scheme, source: by.source };
}
