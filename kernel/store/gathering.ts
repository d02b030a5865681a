// Gathers the statements of transactions that run together: rows for one table become one statement, and a question that several ask is asked once.
import { type RowInsert, rowInsertOf } from './row-insert.ts';
import type { SqlValue } from './store.ts';

/** The parts of a connection that send what was gathered. Statements run in the order in which they were sent. */
export interface GatheringConnection {
  run(sql: string, params: readonly SqlValue[]): Promise<number>;
  all(sql: string, params: readonly SqlValue[]): Promise<object[]>;
  /** @param values of all columns of the first row, then of the next */
  insertRows(insert: RowInsert, values: readonly SqlValue[]): Promise<void>;
}

/** Rows of several transactions for the same columns. */
interface GatheredRows {
  readonly values: SqlValue[];
  readonly inserted: Promise<void>;
  send(): Promise<void>;
}

/**
 * What is asked for in one turn of the event loop is sent at its end: first all rows, table by table in the order in which the first of each came, then the
 * other statements in theirs. So whoever asks sees the rows of all.
 */
export class Gathering {
  readonly #connection: GatheringConnection;
  #rows = new Map<RowInsert, GatheredRows>();
  #questions = new Map<string, Promise<object[]>>();
  #others: (() => void)[] = [];
  #isWaiting = false;

  constructor(connection: GatheringConnection) {
    this.#connection = connection;
  }

  async run(sql: string, params: readonly SqlValue[]): Promise<number> {
    const insert = rowInsertOf(sql);
    if (!insert) return this.#later(() => this.#connection.run(sql, params));
    const rows = this.#rows.get(insert) ?? this.#rowsFor(insert);
    for (const value of params) rows.values.push(value);
    await rows.inserted;
    return params.length / insert.columns;
  }

  all(sql: string, params: readonly SqlValue[]): Promise<object[]> {
    // Bytes are seldom asked for, and not as texts.
    const question = params.some((value) => value instanceof Uint8Array) ? undefined : JSON.stringify([sql, params]);
    const known = question === undefined ? undefined : this.#questions.get(question);
    if (known) return known;
    const answer = this.#later(() => this.#connection.all(sql, params));
    if (question !== undefined) this.#questions.set(question, answer);
    return answer;
  }

  #rowsFor(insert: RowInsert): GatheredRows {
    const values: SqlValue[] = [];
    const { promise: inserted, resolve, reject } = Promise.withResolvers<void>();
    const rows = { values, inserted, send: () => this.#connection.insertRows(insert, values).then(resolve, reject) };
    this.#rows.set(insert, rows);
    this.#wait();
    return rows;
  }

  #later<T>(send: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#others.push(() => void send().then(resolve, reject));
    this.#wait();
    return promise;
  }

  #wait(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    setImmediate(() => this.#send());
  }

  #send(): void {
    const [rows, others] = [this.#rows, this.#others];
    [this.#rows, this.#questions, this.#others, this.#isWaiting] = [new Map(), new Map(), [], false];
    for (const { send } of rows.values()) void send();
    for (const send of others) send();
  }
}
