// How others end sessions: in the transaction that changes what the sessions were made from, so that neither is done without the other.
import type { Transaction } from '../../kernel/store/store.ts';

/** Ends every session of a user, whatever scheme it was made by. The caller moves the version counter of the user after its commit. */
export async function endSessionsOf(tx: Transaction, realm: string, username: string): Promise<void> {
  await tx.run('DELETE FROM session WHERE realm = $1 AND username = $2', [realm, username]);
}

/** Ends every session in a realm. The caller moves the version counters after its commit. @returns how many there were */
export function endSessionsIn(tx: Transaction, realm: string): Promise<number> {
  return tx.run('DELETE FROM session WHERE realm = $1', [realm]);
}
