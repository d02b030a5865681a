// For other actors: ends sessions in the transaction that changes the data that they were created from, so that both happen or neither.
import type { Transaction } from '../../kernel/store/store.ts';
import { CHUNK, valueList } from '../../kernel/store/value-list.ts';
import { userCounter } from '../../kernel/versions.ts';

/** Ends every session of a user. @param scheme null: of any scheme */
export async function endSessionsOf(tx: Transaction, realm: string, username: string, scheme: string | null = null): Promise<void> {
  tx.touch(userCounter(realm, username));
  await tx.run('DELETE FROM session WHERE realm = $1 AND username = $2 AND scheme = COALESCE($3, scheme)', [realm, username, scheme]);
}

/** The same of several users, at most CHUNK. */
export async function endSessionsOfAll(tx: Transaction, realm: string, usernames: readonly string[]): Promise<void> {
  for (const username of usernames) tx.touch(userCounter(realm, username));
  const { sql, params } = valueList(usernames, 2);
  await tx.run(`DELETE FROM session WHERE realm = $1 AND username IN (${sql})`, [realm, ...params]);
}

/** Ends the first sessions in a realm, which may have a million: others write between the parts. @returns how many; fewer than CHUNK if there are no more */
export async function endSomeSessionsIn(tx: Transaction, realm: string): Promise<number> {
  const first = await tx.all<{ id: string; username: string }>('SELECT id, username FROM session WHERE realm = $1 ORDER BY username LIMIT $2', [realm, CHUNK]);
  if (first.length === 0) return 0;
  for (const { username } of first) tx.touch(userCounter(realm, username));
  const { sql, params } = valueList(
    first.map(({ id }) => id),
    1,
  );
  return tx.run(`DELETE FROM session WHERE id IN (${sql})`, params);
}
