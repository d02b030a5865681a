// The quota of sessions of one identity: it never refuses a sign-in, but ends the oldest session instead.
import type { Transaction } from '../../kernel/store/store.ts';
import { userCounter } from '../../kernel/versions.ts';
import type { NewSession } from './api.ts';
import { EXPIRED } from './expired.ts';

/** Sessions that one login may end; after the quota was lowered, several logins bring the number down. */
const MAX_ENDED = 1_000;

/** Makes room for a session that is not stored yet. @param most sessions that the identity may have, including the new one; 0: unlimited @returns ids of the ended sessions */
export async function endOldest(tx: Transaction, { realm, username, scheme, source }: NewSession, most: number, now: number): Promise<readonly string[]> {
  if (most === 0) return [];
  const own = 'realm = $1 AND username = $2 AND scheme = $3';
  const counted = await tx.get<{ n: number }>(`SELECT COUNT(*) AS n FROM (SELECT id FROM session WHERE ${own} LIMIT $4) AS own`, [
    realm,
    username,
    scheme,
    most + MAX_ENDED,
  ]);
  const excess = (counted?.n ?? 0) + 1 - most;
  if (excess <= 0) return [];
  // Expired sessions are ended before live ones.
  const isOver = `CASE WHEN ${EXPIRED.replaceAll('$1', '$4')} THEN 0 ELSE 1 END`;
  const oldest = await tx.all<{ id: string }>(`SELECT id FROM session WHERE ${own} ORDER BY ${isOver}, created_at, id LIMIT $5`, [
    realm,
    username,
    scheme,
    now,
    excess,
  ]);
  if (oldest.length > 0) tx.touch(userCounter(realm, username));
  for (const { id: ended } of oldest) {
    await tx.run('DELETE FROM session WHERE id = $1', [ended]);
    await tx.audit({ event: 'session.end', outcome: 'success', realm, actor: `${realm}/${username}`, scheme, source, target: ended, reason: 'quota' });
  }
  return oldest.map(({ id: ended }) => ended);
}
