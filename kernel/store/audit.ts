// Writes the audit log: rows of security events in streams. Each stream has one writer and is chained by hashes.
import { hash } from 'node:crypto';
import { currentRequestId } from '../call-context.ts';
import type { Clock } from '../clock.ts';
import { sourceOf } from '../http/connection/source.ts';
import { RefusalRate } from './audit-rate.ts';
import { auditText } from './audit-text.ts';
import { insertSql } from './row-insert.ts';
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
  /** Source address of the request. An IPv6 address is stored as its /64 network. */
  readonly source?: string | undefined;
  readonly target?: string | undefined;
  readonly reason?: string | undefined;
}

/** A row as stored. `prev` is the SHA-256 of the previous row of the stream, base64url; empty in the first row. */
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
const NUMBERS: ReadonlySet<string> = new Set(['seq', 'time']);
const INSERT = insertSql({ table: 'audit', columns: Object.fromEntries(COLUMNS.map((column) => [column, NUMBERS.has(column) ? 'BIGINT' : 'TEXT'])) });
const LAST = `SELECT ${COLUMNS.join(', ')} FROM audit WHERE stream = $1 ORDER BY seq DESC LIMIT 1`;

export function auditHash(row: AuditRow): string {
  return hashOf(valuesOf(row));
}

const valuesOf = (row: AuditRow) => COLUMNS.map((column) => row[column]);
const hashOf = (values: readonly unknown[]) => hash('sha256', JSON.stringify(values), 'base64url');

/** The number and the hash of the last row of a stream. */
interface AuditHead {
  readonly seq: number;
  readonly prev: string;
}

type Writing = Reader & { run(sql: string, params: readonly SqlValue[]): Promise<number> };

/** A state of a writer that it can be restored to. */
export interface AuditMark {
  /** Undefined: to be read. */
  readonly head: AuditHead | undefined;
  readonly rate: number;
}

export interface AuditWriter {
  /**
   * Inserts the next row of the stream. A change is always written; a refusal only while its source is below its limit. Long texts are cut.
   */
  write(tx: Writing, event: AuditEvent): Promise<void>;
  /** Inserts the row that sums up the refusals without a row, if there are any. */
  writeSum(tx: Writing): Promise<void>;
  readonly hasSum: boolean;
  /** Called before a transaction, or before a part of one that can be rolled back alone. */
  mark(): AuditMark;
  /** Called when that part was rolled back. */
  restore(mark: AuditMark): void;
  /** Called when all parts are committed. */
  settle(): void;
}

/** The end of a stream. Rows may be added before those ahead of them are inserted. */
class Chain {
  /** Undefined: to be read. */
  head: AuditHead | undefined;
  readonly #stream: string;
  /** Set while several rows wait for the same head. */
  #reading: Promise<AuditHead> | undefined;

  constructor(stream: string) {
    this.#stream = stream;
  }

  async add(tx: Writing, event: AuditEvent, time: number, requestId: string | null): Promise<void> {
    if (!this.head) {
      this.#reading ??= readHead(tx, this.#stream);
      const read = await this.#reading;
      // A row that has waited too may have moved it.
      this.head ??= read;
      this.#reading = undefined;
    }
    const row = rowOf(this.#stream, this.head, event, time, requestId);
    const values = valuesOf(row);
    this.head = { seq: row.seq, prev: hashOf(values) };
    await tx.run(INSERT, values);
  }

  restore(head: AuditHead | undefined): void {
    this.head = head;
    this.#reading = undefined;
  }
}

/** @param onSum called for the first refusal without a row since the last sum */
export function createAuditWriter(stream: string, clock: Pick<Clock, 'now' | 'monotonic'>, onSum: () => void = () => {}): AuditWriter {
  const chain = new Chain(stream);
  const rate = new RefusalRate();
  return {
    async write(tx, event) {
      const time = clock.now();
      const isFirst = !rate.hasSum;
      if (rate.admits(event, { time, monotonic: clock.monotonic() })) return chain.add(tx, event, time, currentRequestId() ?? null);
      if (isFirst) onSum();
    },
    async writeSum(tx) {
      const sum = rate.takeSum();
      // The sum is about many requests, so it does not get the ID of the current one.
      if (sum) await chain.add(tx, sum, clock.now(), null);
    },
    get hasSum() {
      return rate.hasSum;
    },
    mark: () => ({ head: chain.head, rate: rate.mark }),
    restore(mark) {
      chain.restore(mark.head);
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
