// Whether a realm has room for one more session. Asked before a sign-in changes anything, and again by the transaction that makes the session.
import { Fault } from '../../kernel/fault.ts';
import type { Transaction } from '../../kernel/store/store.ts';
import { isOver, overQuota, type Quota } from '../../kernel/store/usage.ts';
import type { NewSession } from './api.ts';

/** Highest numbers, with the names of the configuration; 0: unlimited. */
export interface SessionQuotas {
  /** For one user with one scheme; beyond it, the oldest session ends. */
  readonly sessions_per_identity: number;
  readonly sessions_per_realm: number;
}

export function realmQuota({ sessions_per_realm: most }: SessionQuotas): Quota {
  return { usage: 'auth_usage', kind: 'session', name: '[auth.quotas] sessions_per_realm', most };
}

/** A session that replaces others of its user needs no room. @throws Fault AUTH_QUOTA_EXCEEDED, which undoes the transaction */
export async function requireRoom(
  tx: Transaction,
  { realm, username, scheme }: Pick<NewSession, 'realm' | 'username' | 'scheme'>,
  quotas: SessionQuotas,
): Promise<void> {
  const quota = realmQuota(quotas);
  if (!(await isOver(tx, quota, realm, 1))) return;
  const { sessions_per_identity: most } = quotas;
  const own = 'SELECT COUNT(*) AS n FROM (SELECT id FROM session WHERE realm = $1 AND username = $2 AND scheme = $3 LIMIT $4) AS own';
  const counted = most === 0 ? undefined : await tx.get<{ n: number }>(own, [realm, username, scheme, most]);
  if (counted?.n !== most) throw new Fault('AUTH_QUOTA_EXCEEDED', { detail: overQuota(quota, realm) });
}
