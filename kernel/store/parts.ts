// Deletes any number of rows a part at a time, so that no other writer waits for long.
import type { SqlValue, Store } from './store.ts';

/** Rows that one transaction deletes. */
export const PART = 1_000;

/** @param sql deletes at most `PART` rows: `DELETE ... IN (SELECT ... LIMIT ${PART})` @returns number of deleted rows */
export async function deleteInParts(store: Pick<Store, 'transaction'>, sql: string, params: readonly SqlValue[]): Promise<number> {
  for (let deleted = 0; ; ) {
    const rows = await store.transaction((tx) => tx.run(sql, params));
    deleted += rows;
    if (rows < PART) return deleted;
  }
}
