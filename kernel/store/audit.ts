// The audit log: rows of security events in streams, each stream written by one writer and chained by hashes.
import { hash } from 'node:crypto';
import { currentRequestId } from '../call-context.ts';
import type { Reader, SqlValue } from './store.ts';

/** Who did what, to what, from where, and how it ended. */
export interface AuditEvent {
  /** Dotted name of the event, such as `login` or `session.end`. */
  readonly event: string;
  readonly outcome: 'success' | 'refused' | 'failure';
  readonly realm?: string | undefined;
  /** The user name or token owner that acted; `unknown` for a name that does not exist. */
  readonly actor?: string | undefined;
  /** Scheme code of the session: up, jwt, cc; `token` for an app token. */
  readonly scheme?: string | undefined;
  /** Address the request came from. */
  readonly source?: string | undefined;
  readonly target?: string | undefined;
  readonly reason?: string | undefined;
}

/** A row as stored. `prev` is the SHA-256 of the row before in the same stream, base64url; empty in a stream's first row. */
export interface AuditRow {
  readonly stream: string;
  readonly seq: number;
  readonly time: number;
  readonly request_id: string | null;
  readonly realm: string | null;
  readonly actor: string | null;
  readonly scheme: string | null;
  readonly source: string | null;
  readonly event: string;
  readonly target: string | null;
  readonly outcome: string;
  readonly reason: string | null;
  readonly prev: string;
}

const COLUMNS = ['stream', 'seq', 'time', 'request_id', 'realm', 'actor', 'scheme', 'source', 'event', 'target', 'outcome', 'reason', 'prev'] as const;
const INSERT = `INSERT INTO audit (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map((_, index) => `$${index + 1}`).join(', ')})`;
const LAST = `SELECT ${COLUMNS.join(', ')} FROM audit WHERE stream = $1 ORDER BY seq DESC LIMIT 1`;

export function auditHash(row: AuditRow): string {
  return hash('sha256', JSON.stringify(COLUMNS.map((column) => row[column])), 'base64url');
}

/** Where a stream stands: the number and hash of its last row. */
interface AuditHead {
  readonly seq: number;
  readonly prev: string;
}

export interface AuditWriter {
  /** Inserts the next row of the stream. The caller keeps `head` and puts it back when the transaction is undone. */
  write(tx: Reader & { run(sql: string, params: readonly SqlValue[]): Promise<number> }, event: AuditEvent): Promise<void>;
  head: AuditHead | undefined;
}

export function createAuditWriter(stream: string, now: () => number): AuditWriter {
  const writer: AuditWriter = {
    head: undefined,
    async write(tx, event) {
      writer.head ??= await readHead(tx, stream);
      const row = rowOf(stream, writer.head, event, now());
      await tx.run(
        INSERT,
        COLUMNS.map((column) => row[column]),
      );
      writer.head = { seq: row.seq, prev: auditHash(row) };
    },
  };
  return writer;
}

async function readHead(tx: Reader, stream: string): Promise<AuditHead> {
  const last = await tx.get<AuditRow>(LAST, [stream]);
  return last ? { seq: last.seq, prev: auditHash(last) } : { seq: 0, prev: '' };
}

function rowOf(stream: string, head: AuditHead, event: AuditEvent, time: number): AuditRow {
  const { realm = null, actor = null, scheme = null, source = null, target = null, reason = null } = event;
  return {
    stream,
    seq: head.seq + 1,
    time,
    request_id: currentRequestId() ?? null,
    realm,
    actor,
    scheme,
    source,
    event: event.event,
    target,
    outcome: event.outcome,
    reason,
    prev: head.prev,
  };
}
