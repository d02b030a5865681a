// Stops actors one after the other, and bounds the time for all of them: several may wait for the same thing, such as a database that is away.
import type { Clock } from '../../clock.ts';
import type { Supervisor } from '../supervise/supervisor.ts';
import type { Mailbox } from './mailbox.ts';

/** What is left for each actor when others have used up the time of the stop. */
const LEAST_MS = 1_000;

interface Stopping {
  readonly clock: Clock;
  /** Longest wait for the calls of one actor, and for its end. */
  readonly stopMs: number;
}

export async function stopInTurn(
  actors: Iterable<{ readonly supervisors: readonly Supervisor[]; readonly mailboxes: readonly Mailbox[] }>,
  { clock, stopMs }: Stopping,
): Promise<void> {
  const began = clock.monotonic();
  const waitMs = () => Math.max(LEAST_MS, Math.min(stopMs, 2 * stopMs - (clock.monotonic() - began)));
  for (const { supervisors, mailboxes } of actors) {
    await Promise.all(mailboxes.map((mailbox) => mailbox.drain(waitMs())));
    await Promise.all(supervisors.map((supervisor) => supervisor.stop(waitMs())));
  }
}
