// Statements of one transaction that need no answers of each other: they run in order, and nobody waits between them, which on PostgreSQL saves round trips.

/** Sends statements behind another one without waiting for it. */
export type Along = () => Promise<void>;

/**
 * Settles when all have settled, so that none of them runs on after its transaction has failed.
 * @param started in the order in which they were sent
 * @throws what the first of them in this order threw: after it, the others only say that the transaction has failed
 */
export async function together(started: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(started);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
