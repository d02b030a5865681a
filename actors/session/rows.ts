// The rows behind sessions.
import type { Reader, Store } from '../../kernel/store/store.ts';
import type { NewSession, SessionEnder, SessionView } from './api.ts';

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
const PURGE = 'DELETE FROM session WHERE created_at + max_age_seconds * 1000 <= $1 OR seen_at + max_stale_age_seconds * 1100 + 1000 <= $1';

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
  const { id, cookieHash, realm, username, scheme, maxAgeSeconds, maxStaleAgeSeconds, jti, roles, extraClaims, revision, source } = session;
  return store.transaction(async (tx) => {
    const credential = await tx.get<{ revision: number }>('SELECT revision FROM userpass WHERE realm = $1 AND username = $2', [realm, username]);
    if (credential?.revision !== revision) return false;
    const claims: Claims = { jti, roles, extraClaims };
    await tx.run(
      `INSERT INTO session (id, cookie_hash, realm, username, scheme, created_at, seen_at, max_age_seconds, max_stale_age_seconds, claims)
       VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8, $9)`,
      [id, cookieHash, realm, username, scheme, now, maxAgeSeconds, maxStaleAgeSeconds, JSON.stringify(claims)],
    );
    await tx.audit({ event: 'login', outcome: 'success', realm, actor: username, scheme, source, target: id });
    return true;
  });
}

/** @returns false when the row is gone */
export async function touchRow(store: Store, id: string, now: number): Promise<boolean> {
  return (await store.transaction((tx) => tx.run('UPDATE session SET seen_at = $1 WHERE id = $2', [now, id]))) === 1;
}

export function endRows(store: Store, ids: readonly string[], by: SessionEnder): Promise<number> {
  return store.transaction(async (tx) => {
    let ended = 0;
    for (const id of ids) {
      if ((await tx.run('DELETE FROM session WHERE id = $1', [id])) === 0) continue;
      ended += 1;
      await tx.audit({ event: 'session.end', outcome: 'success', realm: by.realm, actor: by.username, scheme: by.scheme, source: by.source, target: id });
    }
    return ended;
  });
}

export function purgeRows(store: Store, now: number): Promise<number> {
  return store.transaction((tx) => tx.run(PURGE, [now]));
}
