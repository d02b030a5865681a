// The connection that holds a node's lease: its statements, and its end if the network hangs.
import { Socket } from 'node:net';
import pg from 'pg';
import type { LeaseRow } from './lease.ts';
import { CHANNEL, renewalText } from './lease-message.ts';
import { isPooled } from './pooler.ts';
import { durable } from './postgres-query.ts';

const ANSWER_MS = 2_500;

interface Listeners {
  failed(error: Error): void;
  heard(text: string): void;
}

const notification = (text: string): string => `NOTIFY ${CHANNEL}, '${text}'`;

export class LeaseConnection {
  readonly #client: pg.Client;
  readonly #socket = new Socket();
  readonly #node: string;

  constructor(connectionString: string, node: string, { failed, heard }: Listeners) {
    this.#node = node;
    this.#client = new pg.Client({
      ...{ connectionString, connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS },
      application_name: 'gatehouse lease',
      stream: () => this.#socket,
    });
    this.#client.on('error', failed);
    this.#client.on('end', () => failed(new Error('the connection has ended')));
    this.#client.on('notification', ({ payload = '' }) => heard(payload));
  }

  /** Listens. @returns false if a pooler is between */
  async open(): Promise<boolean> {
    await this.#client.connect();
    if (await isPooled(this.#client)) return false;
    await this.#client.query(`SET default_transaction_isolation = 'read committed'; LISTEN ${CHANNEL}`);
    return true;
  }

  async join(term: string): Promise<void> {
    await this.#client.query(`SELECT ${durable(false)}`);
    const sql = 'INSERT INTO node_lease (node, term, beat) VALUES ($1, $2, 0) ON CONFLICT (node) DO UPDATE SET term = $2, beat = 0';
    await this.#client.query(sql, [this.#node, term]);
    // That row must outlive a crash, and be on a standby too, before anybody relies on it. Renewals need not be: if one is lost, so is the connection.
    await this.#client.query('SET synchronous_commit = off');
  }

  /** One transaction. It notifies, so that what was committed before it is heard before its result. */
  async renew(term: string): Promise<{ readonly isThere: boolean; readonly rows: readonly LeaseRow[] }> {
    const own = `node = ${this.#client.escapeLiteral(this.#node)} AND term = ${this.#client.escapeLiteral(term)}`;
    const sql = `UPDATE node_lease SET beat = beat + 1 WHERE ${own}; ${notification(renewalText(term))}; SELECT node, term, beat FROM node_lease`;
    const [renewed, , listed] = (await this.#client.query(sql)) as unknown as readonly [pg.QueryResult, pg.QueryResult, pg.QueryResult<LeaseRow>];
    return { isThere: renewed.rowCount === 1, rows: listed.rows };
  }

  async notify(texts: readonly string[]): Promise<void> {
    await this.#client.query(texts.map(notification).join('; '));
  }

  async remove(terms: readonly string[]): Promise<void> {
    if (terms.length > 0) await this.#client.query('DELETE FROM node_lease WHERE term = ANY($1)', [terms]);
  }

  /** At once: a connection that hangs would not end by itself. */
  end(): void {
    void this.#client.end().catch(() => {});
    this.#socket.destroy();
  }
}
