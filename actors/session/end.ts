// For other actors: ends sessions in the transaction that changes the data that they were created from, so that both happen or neither.
import type { Transaction } from '../../kernel/store/store.ts';
import { userCounter } from '../../kernel/versions.ts';

/** Ends every session of a user, of any scheme. */
export async function endSessionsOf(tx: Transaction, realm: string, username: string): Promise<void> {
  tx.touch(userCounter(realm, username));
  await tx.run('DELETE FROM session WHERE realm = $1 AND username = $2', [realm, username]);
}

/** Ends every session in a realm. @param owners all names that have sessions there, if they are few. @returns the number of sessions */
export function endSessionsIn(tx: Transaction, realm: string, owners?: readonly string[]): Promise<number> {
  if (owners) for (const username of owners) tx.touch(userCounter(realm, username));
  else tx.touchAll();
  return tx.run('DELETE FROM session WHERE realm = $1', [realm]);
}
