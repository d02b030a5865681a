// Tells of rows that were written past the server: each once an hour, in the log and in the audit log.
import type { Log } from '../log-entry.ts';
import type { Store } from './store.ts';

/** Told of a row that was written past the server, and is as if it were not there; again and again, wherever it is met. */
export type ForgedRow = (id: string, part: string) => void;

const AGAIN_MS = 3_600_000;
/** Rows that are told of in that time; whoever writes the database is not to fill the audit log by the server's hand. */
const MAX_TOLD = 1_000;

/**
 * What is refused inside of a transaction is audited after it, also where that is undone.
 * @param event of the audit rows
 */
export function createForgedRows(store: Pick<Store, 'transaction'>, log: Log, now: () => number, event: string): ForgedRow {
  const told = new Map<string, number>();
  const forget = (before: number) => {
    for (const [id, at] of told) {
      if (at > before) return;
      told.delete(id);
    }
  };
  return (id, part) => {
    forget(now() - AGAIN_MS);
    if (told.has(id) || told.size >= MAX_TOLD) return;
    told.set(id, now());
    log.error({ row: id, part }, 'a row was not written by the server, or an older one was put back: it is refused');
    if (told.size === MAX_TOLD) log.error({ rows: MAX_TOLD }, 'there are more such rows, which are refused and not told of for an hour');
    store
      .transaction((tx) => tx.audit({ event, outcome: 'refused', target: id, reason: `the ${part} was not written by the server` }))
      .catch((error: unknown) => log.error({ row: id, error: String(error) }, 'a forged row could not be audited'));
  };
}
