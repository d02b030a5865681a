// Statements of one transaction that need no answers of each other: they run in order, and nobody waits between them, which on PostgreSQL saves round trips.
import { codeOf } from './postgres-error.ts';

/** in_failed_sql_transaction. */
const ABORTED = '25P02';

/** Sends statements behind another one without waiting for it. */
export type Along = () => Promise<void>;

/**
 * Settles when all have settled, so that none of them runs on after its transaction has failed.
 * @throws what the one threw that the database refused; the others only say that the transaction has failed. If several did, it is the first of them
 */
export async function together(started: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(started);
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as unknown);
  // They may have been sent in another order: an audit row waits for where its log ends.
  if (refused.length > 0) throw refused.find((reason) => codeOf(reason) !== ABORTED) ?? refused[0];
}
