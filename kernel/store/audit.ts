// The audit log: rows of security events in streams, each stream written by one writer and chained by hashes.
import { hash } from 'node:crypto';
import { currentRequestId } from '../call-context.ts';
import type { Clock } from '../clock.ts';
import { sourceOf } from '../http/source.ts';
import { RefusalRate } from './audit-rate.ts';
import { auditText } from './audit-text.ts';
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
  /** Address the request came from; of IPv6 its /64 network is written, whoever passes it. */
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

type Writing = Reader & { run(sql: string, params: readonly SqlValue[]): Promise<number> };

/** A place in what a writer has done, to go back to. */
export interface AuditMark {
  readonly head: AuditHead | undefined;
  readonly rate: number;
}

export interface AuditWriter {
  /**
   * Inserts the next row of the stream: a change always, a refusal as far as its source has not had too many. Texts are cut to a length,
   * whoever passes them.
   */
  write(tx: Writing, event: AuditEvent): Promise<void>;
  /** Inserts the row that stands for the refusals without one, where there are any. */
  writeSum(tx: Writing): Promise<void>;
  readonly hasSum: boolean;
  /** Before a transaction, or a part of one that may be undone alone. */
  mark(): AuditMark;
  /** That part is undone. */
  restore(mark: AuditMark): void;
  /** All parts are committed. */
  settle(): void;
}

/** @param onSum called where a refusal gets no row and none before it since the last sum */
export function createAuditWriter(stream: string, clock: Pick<Clock, 'now' | 'monotonic'>, onSum: () => void = () => {}): AuditWriter {
  let head: AuditHead | undefined;
  const rate = new RefusalRate();
  const insert = async (tx: Writing, event: AuditEvent, time: number, requestId: string | null) => {
    head ??= await readHead(tx, stream);
    const row = rowOf(stream, head, event, time, requestId);
    await tx.run(
      INSERT,
      COLUMNS.map((column) => row[column]),
    );
    head = { seq: row.seq, prev: auditHash(row) };
  };
  return {
    async write(tx, event) {
      const time = clock.now();
      const isFirst = !rate.hasSum;
      if (rate.admits(event, { time, monotonic: clock.monotonic() })) return insert(tx, event, time, currentRequestId() ?? null);
      if (isFirst) onSum();
    },
    async writeSum(tx) {
      const sum = rate.takeSum();
      // Of many requests, and not of the one under way.
      if (sum) await insert(tx, sum, clock.now(), null);
    },
    get hasSum() {
      return rate.hasSum;
    },
    mark: () => ({ head, rate: rate.mark }),
    restore(mark) {
      head = mark.head;
      rate.restore(mark.rate);
    },
    settle: () => rate.settle(),
  };
}

async function readHead(tx: Reader, stream: string): Promise<AuditHead> {
  const last = await tx.get<AuditRow>(LAST, [stream]);
  return last ? { seq: last.seq, prev: auditHash(last) } : { seq: 0, prev: '' };
}

function rowOf(stream: string, head: AuditHead, event: AuditEvent, time: number, requestId: string | null): AuditRow {
  return {
    stream,
    seq: head.seq + 1,
    time,
    request_id: requestId,
    realm: auditText(event.realm, 'realm'),
    actor: auditText(event.actor, 'actor'),
    scheme: auditText(event.scheme, 'scheme'),
    source: auditText(event.source && sourceOf(event.source), 'source'),
    event: auditText(event.event, 'event') as string,
    target: auditText(event.target, 'target'),
    outcome: event.outcome,
    reason: auditText(event.reason, 'reason'),
    prev: head.prev,
  };
}
