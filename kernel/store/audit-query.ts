// Reads the audit log of all streams page by page, in order of time.

import type { AuditRow } from './audit.ts';
import { type Page, readPage } from './page.ts';
import type { SqlValue, Store } from './store.ts';

const DAY_MS = 86_400_000;
const TEXTS = ['request_id', 'realm', 'actor', 'scheme', 'source', 'event', 'target', 'outcome', 'reason', 'prev'];

/** `realm`, `event` and `actor` filter by exact match; undefined matches everything. */
export interface AuditQuery {
  readonly realm: string | undefined;
  readonly event: string | undefined;
  readonly actor: string | undefined;
  /** Cursor from the previous page. */
  readonly after: string | undefined;
  readonly limit: number;
  readonly isNewestFirst?: boolean;
}

export function queryAudit(store: Store, { realm, event, actor, after, limit, isNewestFirst = false }: AuditQuery): Promise<Page<AuditRow>> {
  const values: SqlValue[] = [];
  const where = Object.entries({ realm, event, actor }).flatMap(([column, value]) => (value === undefined ? [] : `${column} = $${values.push(value)}`));
  return readPage<AuditRow>(
    store,
    {
      columns: `stream, seq, time, ${TEXTS.join(', ')}`,
      from: 'audit',
      ...(where.length === 0 ? {} : { where: where.join(' AND '), params: values }),
      isDescending: isNewestFirst,
      key: { time: 'number', stream: 'string', seq: 'number' },
      size: TEXTS.map((column) => `COALESCE(OCTET_LENGTH(${column}), 0)`).join(' + '),
    },
    { after, limit },
  );
}

/** Rows that one transaction deletes, so that no other writer waits for long. */
const PURGED_AT_ONCE = 1_000;
const PURGE = `DELETE FROM audit WHERE (stream, seq) IN (SELECT stream, seq FROM audit
  WHERE time < $1 AND seq < (SELECT MAX(seq) FROM audit AS last WHERE last.stream = audit.stream) ORDER BY time LIMIT ${PURGED_AT_ONCE})`;

/**
 * Deletes rows that are older than the retention time, the oldest first. The newest row of each stream stays, because the next row continues its
 * hash chain.
 */
export async function purgeAudit(store: Store, retentionDays: number, now: number): Promise<number> {
  for (let purged = 0; ; ) {
    const rows = await store.transaction((tx) => tx.run(PURGE, [now - retentionDays * DAY_MS]));
    purged += rows;
    if (rows < PURGED_AT_ONCE) return purged;
  }
}
