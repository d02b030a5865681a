// Pages through the audit log in the order of time, over all streams.
import { Fault } from '../../kernel/fault.ts';
import type { AuditRow } from '../../kernel/store/audit.ts';
import type { SqlValue, Store } from '../../kernel/store/store.ts';
import type { AuditPage, AuditQuery } from './api.ts';

const DAY_MS = 86_400_000;

export async function queryAudit(store: Store, { realm, event, actor, after, limit }: AuditQuery): Promise<AuditPage> {
  const where: string[] = [];
  const values: SqlValue[] = [];
  const add = (condition: (...places: string[]) => string, ...given: SqlValue[]) => {
    where.push(condition(...given.map((value) => `$${values.push(value)}`)));
  };
  if (realm !== undefined) add((place) => `realm = ${place}`, realm);
  if (event !== undefined) add((place) => `event = ${place}`, event);
  if (actor !== undefined) add((place) => `actor = ${place}`, actor);
  if (after !== undefined) {
    const [time, stream, seq] = parseCursor(after);
    add((t, s, n) => `(time > ${t} OR (time = ${t} AND (stream > ${s} OR (stream = ${s} AND seq > ${n}))))`, time, stream, seq);
  }
  const condition = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`;
  const sql = `SELECT stream, seq, time, request_id, realm, actor, scheme, source, event, target, outcome, reason, prev FROM audit ${condition} ORDER BY time, stream, seq LIMIT ${limit + 1}`;
  const rows = await store.all<AuditRow>(sql, values);
  const events = rows.slice(0, limit);
  const last = events.at(-1);
  return { events, next: rows.length > limit && last ? cursorOf(last) : null };
}

function cursorOf({ time, stream, seq }: AuditRow): string {
  return Buffer.from(JSON.stringify([time, stream, seq])).toString('base64url');
}

function parseCursor(text: string): [number, string, number] {
  try {
    const [time, stream, seq] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown[];
    if (Number.isSafeInteger(time) && typeof stream === 'string' && Number.isSafeInteger(seq)) return [time as number, stream, seq as number];
  } catch {
    // Told below, like a cursor of the wrong form.
  }
  throw new Fault('BAD_REQUEST', { detail: 'query/after: is no cursor of ours' });
}

/** Removes rows past their retention. The newest row of a stream stays: the next one continues its chain. */
export function purgeAudit(store: Store, retentionDays: number, now: number): Promise<number> {
  const sql = 'DELETE FROM audit WHERE time < $1 AND seq < (SELECT MAX(seq) FROM audit AS last WHERE last.stream = audit.stream)';
  return store.transaction((tx) => tx.run(sql, [now - retentionDays * DAY_MS]));
}
