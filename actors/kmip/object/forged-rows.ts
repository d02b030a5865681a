// Tells of rows that were written past the server: each object once an hour, in the log and in the audit log.
import type { Log } from '../../../kernel/log-entry.ts';
import type { Store } from '../../../kernel/store/store.ts';
import type { Refused } from './rows.ts';

const AGAIN_MS = 3_600_000;
/** Objects that are told of in that time; whoever writes the database is not to fill the audit log by the server's hand. */
const MAX_TOLD = 1_000;

/** What is refused inside of a transaction is audited after it, also where that is undone. */
export function createForgedRows(store: Pick<Store, 'transaction'>, log: Log, now: () => number): Refused {
  const told = new Map<string, number>();
  const forget = (before: number) => {
    for (const [id, at] of told) {
      if (at > before) return;
      told.delete(id);
    }
  };
  return (id, what) => {
    forget(now() - AGAIN_MS);
    if (told.has(id) || told.size >= MAX_TOLD) return;
    told.set(id, now());
    log.error({ object: id, part: what }, 'a row of the key server was not written by it, or an older one was put back: it is refused');
    if (told.size === MAX_TOLD) log.error({ objects: MAX_TOLD }, 'there are more such rows, which are refused and not told of for an hour');
    store
      .transaction((tx) => tx.audit({ event: 'key.forged', outcome: 'refused', target: id, reason: `the ${what} was not written by the server` }))
      .catch((error: unknown) => log.error({ object: id, error: String(error) }, 'a forged row could not be audited'));
  };
}
