// For other actors: ends sessions in the transaction that changes the data that they were created from, so that both happen or neither.
import type { Transaction } from '../../kernel/store/store.ts';

/** Ends every session of a user, of any scheme. The caller must bump the user's version counter after the commit. */
export async function endSessionsOf(tx: Transaction, realm: string, username: string): Promise<void> {
  await tx.run('DELETE FROM session WHERE realm = $1 AND username = $2', [realm, username]);
}

/** Ends every session in a realm. The caller must bump the version counters after the commit. @returns the number of sessions */
export function endSessionsIn(tx: Transaction, realm: string): Promise<number> {
  return tx.run('DELETE FROM session WHERE realm = $1', [realm]);
}
