// For other actors: ends sessions in the transaction that changes the data that they were created from, so that both happen or neither.
import type { Transaction } from '../../kernel/store/store.ts';
import { valueList } from '../../kernel/store/value-list.ts';
import { userCounter } from '../../kernel/versions.ts';

/** Ends every session of a user, of any scheme. */
export async function endSessionsOf(tx: Transaction, realm: string, username: string): Promise<void> {
  tx.touch(userCounter(realm, username));
  await tx.run('DELETE FROM session WHERE realm = $1 AND username = $2', [realm, username]);
}

/** The same of several users, at most CHUNK. */
export async function endSessionsOfAll(tx: Transaction, realm: string, usernames: readonly string[]): Promise<void> {
  for (const username of usernames) tx.touch(userCounter(realm, username));
  const { sql, params } = valueList(usernames, 2);
  await tx.run(`DELETE FROM session WHERE realm = $1 AND username IN (${sql})`, [realm, ...params]);
}

/** Ends every session in a realm. @param owners all names that have sessions there, if they are few. @returns the number of sessions */
export function endSessionsIn(tx: Transaction, realm: string, owners?: readonly string[]): Promise<number> {
  if (owners) for (const username of owners) tx.touch(userCounter(realm, username));
  else tx.touchAll();
  return tx.run('DELETE FROM session WHERE realm = $1', [realm]);
}
