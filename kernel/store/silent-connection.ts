// Ends a connection to PostgreSQL that was lost without a word, as when a machine dies or a firewall forgets it: the system would wait for its answer for a quarter of an hour.
import pg from 'pg';

/** So long nobody wonders where an answer is. */
const SILENT_MS = 5_000;
const ASK_MS = 5_000;

/**
 * What the database knows of a connection that waits for an answer. While it works on the statement, or waits for a lock, its disk or a standby, the answer
 * comes some time. Otherwise the statement or its answer was lost, and what is left of the connection may still hold locks. No row: this server has
 * never heard of it, or not any more. Where track_activities is off, every connection counts as one at work.
 */
const KNOWN = `SELECT coalesce(state, '') NOT LIKE 'idle%' AS works, CASE WHEN $3 AND state LIKE 'idle%' THEN pg_terminate_backend(pid) END AS ended
  FROM pg_stat_activity WHERE pid = $1 AND EXTRACT(EPOCH FROM backend_start) = $2::numeric`;

/** What the driver declares nowhere. */
interface Inside {
  readonly connection: { on(event: 'readyForQuery', heard: () => void): void; readonly stream: { destroy(): void } };
  readonly processID: number;
}

interface Backend {
  readonly pid: number;
  /** When it began, as a number: a date in another DateStyle ends with letters for its zone, which mean another zone when they are read. Another server may have one of the same pid. */
  readonly begun: string;
}

/** A connection that watches itself. Its statements are counted only, because each would have a timer otherwise. */
export class WatchedClient extends pg.Client {
  readonly #settings: pg.ClientConfig;
  #backend: Backend | undefined;
  #asked = 0;
  #answered = 0;
  /** Answers at the last look. */
  #before = 0;
  /** Looks one after the other at which the database did not work on what was asked; an answer on its way arrives before the second. */
  #suspicions = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: pg.ClientConfig = {}) {
    super(settings);
    this.#settings = settings;
  }

  /** From now on. One of a pooler, which stands for many of the database, is not watched. */
  async watch(): Promise<void> {
    const { connection, processID } = this as unknown as Inside;
    const { rows } = await super.query<Backend>(
      'SELECT pid, EXTRACT(EPOCH FROM backend_start)::text AS begun FROM pg_stat_activity WHERE pid = pg_backend_pid()',
    );
    if (rows[0]?.pid !== processID) return;
    this.#backend = rows[0];
    connection.on('readyForQuery', () => {
      this.#answered += 1;
    });
    this.once('end', () => clearTimeout(this.#timer));
  }

  override query(...asked: unknown[]): never {
    if (this.#backend) {
      this.#asked += 1;
      this.#timer ??= setTimeout(() => void this.#look(), SILENT_MS).unref();
    }
    return super.query(...(asked as [string])) as never;
  }

  async #look(): Promise<void> {
    const isSilent = () => this.#asked > this.#answered && this.#answered === this.#before;
    if (!isSilent()) this.#suspicions = 0;
    else if ((await this.#isUnknown()) && isSilent()) {
      this.#suspicions += 1;
      // Who waits for an answer is told as by a connection that was cut.
      if (this.#suspicions > 1) return (this as unknown as Inside).connection.stream.destroy();
    }
    this.#before = this.#answered;
    this.#timer = this.#asked > this.#answered ? setTimeout(() => void this.#look(), SILENT_MS).unref() : undefined;
  }

  /** @returns false also if the database cannot be asked: then nothing is known */
  async #isUnknown(): Promise<boolean> {
    const other = new pg.Client({ ...this.#settings, connectionTimeoutMillis: ASK_MS, query_timeout: ASK_MS, application_name: 'gatehouse probe' });
    other.on('error', () => {});
    try {
      await other.connect();
      const { pid, begun } = this.#backend as Backend;
      return (await other.query<{ works: boolean }>(KNOWN, [pid, begun, this.#suspicions > 0])).rows[0]?.works !== true;
    } catch {
      return false;
    } finally {
      void other.end().catch(() => {});
    }
  }
}
