// Reports rows that were not written by the server, in the log and in the audit log, each at most once an hour.
import type { Log } from '../log/log-entry.ts';
import type { Store } from './store.ts';

/** Called each time the server meets a row that it did not write. Such a row is ignored. */
export type ForgedRow = (id: string, part: string) => void;

const AGAIN_MS = 3_600_000;
/** Rows reported in that time. The limit keeps an attacker with access to the database from filling the audit log. */
const MAX_TOLD = 1_000;

/**
 * The audit row has a transaction of its own, so that it stays if the transaction that met the row is rolled back.
 * @param monotonic milliseconds @param event name of the event in the audit rows
 */
export function createForgedRows(store: Pick<Store, 'transaction'>, log: Log, monotonic: () => number, event: string): ForgedRow {
  const told = new Map<string, number>();
  const forget = (before: number) => {
    for (const [id, at] of told) {
      if (at > before) return;
      told.delete(id);
    }
  };
  return (id, part) => {
    forget(monotonic() - AGAIN_MS);
    if (told.has(id) || told.size >= MAX_TOLD) return;
    told.set(id, monotonic());
    log.error({ row: id, part }, 'a row was not written by the server, or is an old version of a row: it is ignored');
    if (told.size === MAX_TOLD) log.error({ rows: MAX_TOLD }, 'there are more such rows; they are ignored, and not reported for an hour');
    store
      .transaction((tx) => tx.audit({ event, outcome: 'refused', target: id, reason: `the ${part} was not written by the server` }))
      .catch((error: unknown) => log.error({ row: id, error: String(error) }, 'the audit row about a forged row could not be written'));
  };
}
