// The store on PostgreSQL, for several nodes: each thread has one connection for serializable transactions and a small pool for reads.
import type pg from 'pg';
import { Fault } from '../fault.ts';
import { hashOf } from '../versions.ts';
import { announcing } from './announcement.ts';
import type { AuditWriter } from './audit.ts';
import { CONTENDED, GroupCommit, type WriteConnection } from './group-commit.ts';
import { CHANNEL } from './lease-message.ts';
import type { CacheOptions } from './open.ts';
import { codeOf, READ_ONLY, translateErrors, UNREACHABLE } from './postgres-error.ts';
import { meet, openPool } from './postgres-pool.ts';
import { arraysQuery, durable, nameQuery } from './postgres-query.ts';
import { types } from './postgres-types.ts';
import type { RowInsert } from './row-insert.ts';
import { WatchedClient } from './silent-connection.ts';
import type { Reader, Row, SqlValue, Store } from './store.ts';

const READERS = 4;
const READ_TRIES = 5;
const CONNECT_MS = 5_000;
const LOCK_TIMEOUT_MS = 5_000;
/**
 * A node that stands still within a transaction, or whose machine has died, holds locks for which all writers of the others wait: the database ends it.
 * One that lives asks for the next statement at once.
 */
const IDLE_TIMEOUT_MS = 10_000;
/** A connection that nobody uses is heard of again and again: a firewall forgets it otherwise, or nobody notices that it has. */
const ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;
/** serialization_failure, deadlock_detected. */
const RETRY: ReadonlySet<unknown> = new Set(['40001', '40P01']);
/** All that a commit says whose wait for a standby was cancelled, as by pg_cancel_backend: it succeeds, and a fail-over may take it back. */
const WARNING = '01000';
/** unique_violation in the audit log: a second server with the name of this node has written to the same stream. Its end is read again then. */
function isAuditTaken(error: unknown): boolean {
  const { code, table } = error as { code?: unknown; table?: unknown };
  return code === '23505' && table === 'audit';
}

export async function openPostgres(url: string, audit: AuditWriter, { versions, origin, node }: CacheOptions): Promise<Store> {
  const settings = { connectionString: url, connectionTimeoutMillis: CONNECT_MS, types, application_name: 'gatehouse', ...ALIVE };
  const pool = openPool({ ...settings, Client: WatchedClient, max: READERS });
  const connection = new PostgresConnection(settings);
  // What other nodes write is cached under a lease only.
  versions.trust.share();
  const reader = readerOver(pool);
  const hasOthers = async () => (await reader.get('SELECT 1 AS found FROM node_lease WHERE node <> $1 LIMIT 1', [node])) !== undefined;
  const group = new GroupCommit(connection, audit, announcing({ versions, origin, hasOthers }));
  await translateErrors(() => pool.query('SELECT 1'));
  return {
    dialect: 'postgres',
    ...reader,
    transaction: (work, options) => group.submit(work, options?.lock, options?.together),
    async close() {
      await group.idle();
      await connection.end();
      await pool.end();
    },
  };
}

export function readerOver(pool: pg.Pool): Reader {
  const all = async <T extends object>(sql: string, params: readonly SqlValue[] = [], tries = READ_TRIES): Promise<T[]> => {
    try {
      return (await translateErrors(() => pool.query(nameQuery(sql, params)))).rows as T[];
    } catch (error) {
      // With `default_transaction_isolation = serializable`, reads lose to writers too.
      if (tries <= 1 || !RETRY.has(codeOf(error))) throw error;
      return all(sql, params, tries - 1);
    }
  };
  return { all, get: async <T extends object>(sql: string, params?: readonly SqlValue[]) => (await all<T>(sql, params))[0] };
}

const BEGIN = 'BEGIN ISOLATION LEVEL SERIALIZABLE';
/** Waits for the group that has lost to others several times and holds this lock alone: else it would lose to them again and again. */
const BESIDE_OTHERS = `; SELECT pg_advisory_xact_lock_shared(${hashOf(CONTENDED)}), ${durable(true)}`;
const LIMITS = `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}; SET LOCAL idle_in_transaction_session_timeout = ${IDLE_TIMEOUT_MS}`;
/**
 * A lock is waited for before its transaction begins, so that the snapshot includes the changes of the last holder, and ends with the transaction, whatever
 * becomes of that. All is one message, which a pooler gives to one connection.
 */
const waitFor = (key: number) => `BEGIN; ${LIMITS}; SELECT pg_advisory_lock(${key}); COMMIT; `;
const heldToTheEnd = (key: number) => `; SELECT pg_advisory_xact_lock(${key}), pg_advisory_unlock(${key}), ${durable(true)}`;

function beginning(lock: string | undefined): string {
  const beside = lock === CONTENDED ? '' : BESIDE_OTHERS;
  return lock === undefined ? `${BEGIN}; ${LIMITS}${beside}` : `${waitFor(hashOf(lock))}${BEGIN}; ${LIMITS}${heldToTheEnd(hashOf(lock))}${beside}`;
}

/** The writing connection of a thread. The first transaction opens it, and the next transaction after a loss opens it again. */
class PostgresConnection implements WriteConnection {
  readonly #settings: pg.ClientConfig;
  #client: pg.Client | undefined;
  /** The server has stopped to take writes; another one may take them. */
  #isReadOnly = false;
  /** What was committed may be on no standby. */
  #isUnsure = false;

  constructor(settings: pg.ClientConfig) {
    this.#settings = settings;
  }

  async begin(lock: string | undefined): Promise<void> {
    if (!this.#client) await this.#connect();
    await this.#query(beginning(lock));
  }

  async commit(announced: string | undefined): Promise<void> {
    this.#isUnsure = false;
    try {
      await this.#query(announced === undefined ? 'COMMIT' : `NOTIFY ${CHANNEL}, '${announced}'; COMMIT`);
    } catch (error) {
      // If the connection is lost here, the outcome is unknown, and ACTOR_LOST tells the caller so.
      throw error instanceof Fault ? new Fault('ACTOR_LOST', { cause: error }) : error;
    }
    if (this.#isUnsure) throw new Fault('ACTOR_LOST', { cause: new Error('somebody has ended the wait of a commit for a standby') });
  }

  async rollback(): Promise<void> {
    try {
      await this.#query('ROLLBACK');
      if (this.#isReadOnly) await this.#abandon();
    } catch {
      await this.#abandon();
    }
  }

  async exec(sql: string): Promise<void> {
    await this.#query(sql);
  }

  async run(sql: string, params: readonly SqlValue[]): Promise<number> {
    return (await this.#query(nameQuery(sql, params))).rowCount ?? 0;
  }

  async all(sql: string, params: readonly SqlValue[]): Promise<Row[]> {
    return (await this.#query(nameQuery(sql, params))).rows;
  }

  async insertRows(insert: RowInsert, values: readonly SqlValue[]): Promise<void> {
    await this.#query(arraysQuery(insert, values));
  }

  mayRetry(error: unknown): boolean {
    return RETRY.has(codeOf(error)) || isAuditTaken(error);
  }

  async end(): Promise<void> {
    await this.#client?.end();
  }

  async #connect(): Promise<void> {
    // Statements that wait for no answers of each other are sent at once.
    const fresh = new WatchedClient({ ...this.#settings, pipeline: true });
    fresh.on('error', () => {
      if (this.#client === fresh) this.#client = undefined;
    });
    fresh.on('notice', ({ code }) => {
      this.#isUnsure ||= code === WARNING;
    });
    try {
      await translateErrors(async () => {
        await fresh.connect();
        await meet(fresh);
        await fresh.watch();
      });
    } catch (error) {
      // Those to a server that takes no writes would fill it, and nobody could connect any more once it is promoted.
      void fresh.end().catch(() => {});
      throw error;
    }
    this.#client = fresh;
  }

  /** Within a transaction a lost connection is not replaced: later statements would run outside of the transaction. */
  #query(sql: string | pg.QueryConfig): Promise<pg.QueryResult> {
    const open = this.#client;
    if (!open) return Promise.reject(new Fault('UNAVAILABLE', { detail: UNREACHABLE }));
    return translateErrors(() => open.query(sql as string)).catch((error: unknown) => {
      this.#isReadOnly ||= codeOf((error as Fault).cause) === READ_ONLY;
      throw error;
    });
  }

  /** The database rolls back the transaction and releases the lock of a closed connection. */
  async #abandon(): Promise<void> {
    this.#isReadOnly = false;
    const broken = this.#client;
    this.#client = undefined;
    await broken?.end().catch(() => {});
  }
}
