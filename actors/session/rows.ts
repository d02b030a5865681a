// Rows of sessions.
import { deleteInParts, PART } from '../../kernel/store/parts.ts';
import type { Reader, Store } from '../../kernel/store/store.ts';
import { isOver, overQuota } from '../../kernel/store/usage.ts';
import { CHUNK } from '../../kernel/store/value-list.ts';
import { userCounter } from '../../kernel/versions.ts';
import { requireAdministration, requireSuperAdmin } from '../directory/administered.ts';
import { isStillProven, noteWay } from '../directory/proof.ts';
import type { NewSession, Principal, SessionView } from './api.ts';
import { accountsOf } from './beginning.ts';
import { endSomeSessionsIn } from './end.ts';
import { EXPIRED } from './expired.ts';
import { endOldest } from './oldest.ts';
import { realmQuota, type SessionQuotas } from './room.ts';

/** When a session was used. A separate object, because it may have to be kept after the session has left the cache. */
export interface SessionUse {
  readonly id: string;
  readonly maxStaleAgeSeconds: number;
  /** Last activity known to this actor. */
  seenAt: number;
  /** Last activity written to the row. */
  writtenAt: number;
}

export interface StoredSession extends SessionView {
  readonly cookieHash: Uint8Array;
  readonly use: SessionUse;
  /** Upper bound of the memory for this object. */
  readonly bytes: number;
}

interface Row {
  readonly id: string;
  readonly cookie_hash: Uint8Array;
  readonly realm: string;
  readonly username: string;
  readonly account: string;
  readonly realm_account: string;
  readonly scheme: string;
  readonly created_at: number;
  readonly seen_at: number;
  readonly max_age_seconds: number;
  readonly max_stale_age_seconds: number;
  readonly claims: string;
}

/** Memory of a session without its claims: texts of fixed length, the hash, the cache entry. */
const SESSION_BYTES = 1_536;
/** Bytes of memory per character of JSON, at most: an array in an array has two characters and takes 56 bytes. */
const JSON_EXPANSION = 32;

/** The outcome of creating a session; `quota` says which quota is used up. */
type Begun =
  | { readonly outcome: 'made'; readonly ended: readonly string[] }
  | { readonly outcome: 'overtaken' }
  | { readonly outcome: 'full'; readonly quota: string };

type Claims = Pick<SessionView, 'jti' | 'roles' | 'extraClaims'>;

export async function readRow(store: Reader, id: string): Promise<StoredSession | undefined> {
  const sql = `SELECT id, cookie_hash, realm, username, account, realm_account, scheme, created_at, seen_at, max_age_seconds, max_stale_age_seconds, claims
    FROM session WHERE id = $1`;
  const row = await store.get<Row>(sql, [id]);
  if (!row) return undefined;
  return {
    id: row.id,
    cookieHash: row.cookie_hash,
    realm: row.realm,
    username: row.username,
    account: row.account,
    realmAccount: row.realm_account,
    scheme: row.scheme,
    createdAt: row.created_at,
    maxAgeSeconds: row.max_age_seconds,
    maxStaleAgeSeconds: row.max_stale_age_seconds,
    use: { id: row.id, maxStaleAgeSeconds: row.max_stale_age_seconds, seenAt: row.seen_at, writtenAt: row.seen_at },
    bytes: SESSION_BYTES + 2 * row.username.length + JSON_EXPANSION * row.claims.length,
    ...(JSON.parse(row.claims) as Claims),
  };
}

/** Checks the credential in the same transaction; otherwise a session from a password that was changed meanwhile would survive the change. */
export function insertRow(store: Store, session: NewSession, quotas: SessionQuotas, now: number): Promise<Begun> {
  const { id, cookieHash, realm, username, scheme, maxAgeSeconds, maxStaleAgeSeconds, jti, roles, extraClaims, source } = session;
  return store.transaction(async (tx) => {
    const login = { event: 'login', realm, actor: username, scheme, source } as const;
    const accounts = (await isStillProven(tx, session)) ? await accountsOf(tx, session) : undefined;
    if (!accounts) {
      await tx.audit({ ...login, outcome: 'refused', reason: 'the account changed meanwhile' });
      return { outcome: 'overtaken' };
    }
    const ended = await endOldest(tx, session, quotas.sessions_per_identity, now);
    const quota = realmQuota(quotas);
    // A session that replaces others of its user makes the realm no fuller.
    if (ended.length === 0 && (await isOver(tx, quota, realm, 1))) {
      await tx.audit({ ...login, outcome: 'refused', reason: 'quota' });
      return { outcome: 'full', quota: overQuota(quota, realm) };
    }
    const claims: Claims = { jti, roles, extraClaims };
    await tx.run(
      `INSERT INTO session (id, cookie_hash, realm, username, scheme, created_at, seen_at, max_age_seconds, max_stale_age_seconds, claims, account, realm_account)
       VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8, $9, $10, $11)`,
      [id, cookieHash, realm, username, scheme, now, maxAgeSeconds, maxStaleAgeSeconds, JSON.stringify(claims), accounts.own, accounts.realm],
    );
    await noteWay(tx, session, accounts.own, now);
    await tx.audit({ ...login, outcome: 'success', target: id });
    return { outcome: 'made', ended };
  });
}

/** Keeps a later use that another node has written. @returns how many of the rows exist */
export function writeSeen(store: Store, used: readonly SessionUse[]): Promise<number> {
  const seen = used.map(({ id, seenAt }) => [seenAt, id] as const);
  return store.transaction(async (tx) => {
    let there = 0;
    for (const params of seen) there += await tx.run('UPDATE session SET seen_at = CASE WHEN seen_at < $1 THEN $1 ELSE seen_at END WHERE id = $2', params);
    return there;
  });
}

/** @returns how many */
export function endRows(store: Store, ids: readonly string[], by: Principal): Promise<number> {
  return store.transaction(async (tx) => {
    let ended = 0;
    for (const id of ids) {
      const row = await tx.get<SessionOwner>('SELECT realm, username, scheme, account FROM session WHERE id = $1', [id]);
      if (!row) continue;
      if (!isOwn(by, row)) await requireAdministration(tx, by, [row.realm]);
      tx.touch(userCounter(row.realm, row.username));
      await tx.run('DELETE FROM session WHERE id = $1', [id]);
      ended += 1;
      await tx.audit({ event: 'session.end', outcome: 'success', ...auditFields(by, row.realm), target: id });
    }
    return ended;
  });
}

/** One part. @returns false if there are more */
export function endRealmRows(store: Store, realm: string, by: Principal): Promise<boolean> {
  return store.transaction(async (tx) => {
    await requireAdministration(tx, by, [realm]);
    const ended = await endSomeSessionsIn(tx, realm);
    await tx.audit({ event: 'session.end_realm', outcome: 'success', ...auditFields(by, realm), target: `${ended} sessions` });
    return ended < CHUNK;
  });
}

const PURGE = `DELETE FROM session WHERE id IN (SELECT id FROM session WHERE ${EXPIRED} LIMIT ${PART})`;

export async function purgeRows(store: Store, now: number, by: Principal | undefined): Promise<void> {
  if (by) await store.transaction((tx) => requireSuperAdmin(tx, by));
  const purged = await deleteInParts(store, PURGE, [now]);
  if (by) await store.transaction((tx) => tx.audit({ event: 'session.purge', outcome: 'success', ...auditFields(by, by.realm), target: `${purged} sessions` }));
}

type SessionOwner = Pick<SessionView, 'realm' | 'username' | 'scheme' | 'account'>;

/** Users may end their own sessions, and not those of somebody else who has the name by now. */
function isOwn(by: SessionOwner, { realm, username, scheme, account }: SessionOwner): boolean {
  return by.realm === realm && by.username === username && by.scheme === scheme && by.account === account;
}

function auditFields(by: Principal, realm: string) {
  return { realm, actor: `${by.realm}/${by.username}`, scheme: by.scheme, source: by.source };
}
