// Keys that were replaced and may have wrapped objects still: a row for each, so that another run goes on where one has failed or was killed.
import type { Store, Transaction } from '../../../../kernel/store/store.ts';

/** A key that was replaced, by its identifier. */
export interface Unfinished {
  readonly old: string;
  readonly replacement: string;
}

/** After this time without a change, whoever wrapped anew is gone or has failed: milliseconds. */
const GONE_MS = 300_000;

/** @param at when something was last done about it, milliseconds */
export async function noteLeft(tx: Transaction, { old, replacement }: Unfinished, at: number): Promise<void> {
  const sql = `INSERT INTO kms_rewrapping (object_id, replacement_id, worked_at) VALUES ($1, $2, $3)
    ON CONFLICT (object_id) DO UPDATE SET replacement_id = excluded.replacement_id, worked_at = excluded.worked_at`;
  await tx.run(sql, [old, replacement, at]);
}

export async function noteWorked(tx: Transaction, old: string, at: number): Promise<void> {
  await tx.run('UPDATE kms_rewrapping SET worked_at = $2 WHERE object_id = $1', [old, at]);
}

export async function noteDone(tx: Transaction, old: string): Promise<void> {
  await tx.run('DELETE FROM kms_rewrapping WHERE object_id = $1', [old]);
}

/** Takes the one that has waited longest, so that no other thread or node does; a time that is to come is of a clock that was wrong. @returns undefined if none waits */
export async function claimUnfinished(store: Store, now: number): Promise<Unfinished | undefined> {
  const sql =
    'SELECT object_id AS old, replacement_id AS replacement, worked_at FROM kms_rewrapping WHERE worked_at <= $1 OR worked_at > $2 ORDER BY worked_at LIMIT 1';
  for (;;) {
    const next = await store.get<Unfinished & { readonly worked_at: number | string }>(sql, [now - GONE_MS, now + GONE_MS]);
    if (!next) return undefined;
    const claim = 'UPDATE kms_rewrapping SET worked_at = $2 WHERE object_id = $1 AND worked_at = $3';
    if ((await store.transaction((tx) => tx.run(claim, [next.old, now, Number(next.worked_at)]))) > 0) return next;
  }
}
