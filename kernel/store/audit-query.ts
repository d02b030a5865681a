// Reads the audit log of all streams page by page, in order of time.
import type { AuditRow } from './audit.ts';
import { cursorOf, type Listing, orderedSql, type Page, type PageRequest, parseCursor, readPage } from './page.ts';
import { deleteInParts, PART } from './parts.ts';
import { plannedAnew } from './planned-anew.ts';
import type { Store } from './store.ts';

const DAY_MS = 86_400_000;
const TEXTS = ['request_id', 'realm', 'actor', 'scheme', 'source', 'event', 'target', 'outcome', 'reason', 'prev'];

/** `realm`, `event` and `actor` filter by exact match; undefined matches everything. */
export interface AuditQuery {
  readonly realm: string | undefined;
  readonly event: string | undefined;
  readonly actor: string | undefined;
  /** Only rows after this time, milliseconds since the epoch. It needs one of the filters. */
  readonly since?: number | undefined;
  /** Cursor from the previous page. */
  readonly after: string | undefined;
  readonly limit: number;
  readonly isNewestFirst?: boolean;
}

/** Rows that one statement looks at for those that meet all filters, and how many such statements one page takes if it finds none. */
const STRETCH = 5_000;
const MAX_STRETCHES = 2;
const COLUMNS = `stream, seq, time, ${TEXTS.join(', ')}`;
const KEY = { time: 'number', stream: 'string', seq: 'number' } as const;
const SIZE = TEXTS.map((column) => `COALESCE(OCTET_LENGTH(${column}), 0)`).join(' + ');

/** A page may have fewer rows than requested, even none, and a `next`: what meets several filters may be rare among many rows. */
export async function queryAudit(store: Store, { realm, event, actor, since, after, limit, isNewestFirst = false }: AuditQuery): Promise<Page<AuditRow>> {
  // An index leads from each of these to its rows; the first is likely to have the fewest.
  const [first, ...others] = Object.entries({ actor, event, realm }).filter((each): each is [string, string] => each[1] !== undefined);
  const listing = {
    columns: COLUMNS,
    from: 'audit',
    key: KEY,
    size: SIZE,
    isDescending: isNewestFirst,
    ...(first &&
      (since === undefined ? { where: `${first[0]} = $1`, params: [first[1]] } : { where: `${first[0]} = $1 AND time > $2`, params: [first[1], since] })),
  };
  if (others.length === 0) return readPage<AuditRow>(store, listing, { after, limit });
  let from = after;
  for (let stretches = 1; ; stretches++) {
    const page = await readStretch(store, listing, others, { after: from, limit });
    if (page.items.length > 0 || page.next === null || stretches === MAX_STRETCHES) return page;
    from = page.next;
  }
}

/** The rows among the next ones of the listing that meet the other filters. If there are no more of them, the next page begins behind the last of these rows. */
async function readStretch(
  store: Store,
  listing: Listing,
  others: readonly (readonly [string, string])[],
  { after, limit }: PageRequest,
): Promise<Page<AuditRow>> {
  const cursor = after === undefined ? [] : parseCursor(after, Object.values(listing.key));
  const params = [...(listing.params ?? []), ...cursor];
  const stretch = `(SELECT ${COLUMNS} FROM audit${orderedSql(listing, cursor.length > 0)} LIMIT ${STRETCH}) AS stretch`;
  const values = others.map(([, value]) => value);
  const where = others.map(([column], at) => `${column} = $${params.length + at + 1}`).join(' AND ');
  const { key, isDescending = false } = listing;
  const found = await readPage<AuditRow>(
    store,
    { columns: COLUMNS, from: stretch, where, params: [...params, ...values], key, size: SIZE, isDescending },
    { after: undefined, limit },
  );
  if (found.next !== null) return found;
  const end = await store.get<AuditRow>(
    plannedAnew(`SELECT time, stream, seq FROM audit${orderedSql(listing, cursor.length > 0)} LIMIT 1 OFFSET ${STRETCH - 1}`),
    params,
  );
  return end ? { ...found, next: cursorOf([end.time, end.stream, end.seq]) } : found;
}

const PURGE = `DELETE FROM audit WHERE (stream, seq) IN (SELECT stream, seq FROM audit
  WHERE time < $1 AND seq < (SELECT MAX(seq) FROM audit AS last WHERE last.stream = audit.stream) ORDER BY time LIMIT ${PART})`;

/**
 * Deletes rows that are older than the retention time, the oldest first, part by part. The newest row of each stream stays, because the next row
 * continues its hash chain.
 */
export function purgeAudit(store: Store, retentionDays: number, now: number): Promise<number> {
  return deleteInParts(store, PURGE, [now - retentionDays * DAY_MS]);
}
