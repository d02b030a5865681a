// The database that a copy fills: which rows have arrived, and what makes it a store in the end.
import { MIGRATION_LOCK, type Migration, UNFINISHED_COPY } from '../store/migrate.ts';
import type { SqlValue, Store } from '../store/store.ts';
import { tableNames } from '../store/tables.ts';
import { BackupError } from './format.ts';
import { continueIdentities, Inserter } from './insert.ts';
import { type KeyedTable, requireEmpty, schemaSql } from './schema.ts';

export class CopyTarget {
  readonly #store: Store;
  readonly #done: Map<string, number>;

  private constructor(store: Store, done: Map<string, number>) {
    this.#store = store;
    this.#done = done;
  }

  /**
   * Creates the tables, or finds those of an interrupted copy.
   * @throws BackupError if the database has tables of anything else than such a copy
   */
  static async open(store: Store, migrations: readonly Migration[], tables: readonly KeyedTable[]): Promise<CopyTarget> {
    const done = await store.transaction(
      async (tx) => {
        if ((await tableNames(tx, store.dialect)).has(UNFINISHED_COPY))
          return tx.all<{ name: string; done: number }>(`SELECT name, done FROM ${UNFINISHED_COPY}`);
        await requireEmpty(tx, store.dialect, tables, 'the new database', 'a copy never overwrites data, so name an empty database');
        for (const sql of schemaSql(migrations, store.dialect)) await tx.exec(sql);
        await tx.exec(`CREATE TABLE ${UNFINISHED_COPY} (name TEXT PRIMARY KEY, done BIGINT NOT NULL)`);
        for (const { table } of tables) await tx.run(`INSERT INTO ${UNFINISHED_COPY} (name, done) VALUES ($1, 0)`, [table]);
        return [];
      },
      { lock: MIGRATION_LOCK },
    );
    return new CopyTarget(store, new Map(done.map(({ name, done: rows }) => [name, rows])));
  }

  /** @returns the number of rows of the table that have arrived */
  done({ table }: KeyedTable): number {
    return this.#done.get(table) ?? 0;
  }

  /** Adds the next rows of a table. @throws BackupError if another copy fills the database */
  async append(table: KeyedTable, rows: readonly SqlValue[][]): Promise<void> {
    const before = this.done(table);
    const after = before + rows.length;
    await this.#store.transaction(async (tx) => {
      const isOurs = await tx.run(`UPDATE ${UNFINISHED_COPY} SET done = $3 WHERE name = $1 AND done = $2`, [table.table, before, after]);
      if (isOurs !== 1) throw new BackupError('another copy fills the new database at the same time; let one of them finish');
      const inserter = new Inserter(tx, this.#store.dialect);
      await (before === 0 ? inserter.begin(table) : inserter.continue(table));
      for (const values of rows) await inserter.add(table, values);
      await inserter.flush();
    });
    this.#done.set(table.table, after);
  }

  /** Makes the database a store, with the rows that say so. */
  async finish(table: KeyedTable, rows: readonly SqlValue[][]): Promise<void> {
    const { dialect } = this.#store;
    await this.#store.transaction(
      async (tx) => {
        const inserter = new Inserter(tx, dialect);
        for (const values of rows) await inserter.add(table, values);
        await inserter.flush();
        await tx.exec(`DROP TABLE ${UNFINISHED_COPY}`);
        if (dialect === 'postgres') await continueIdentities(tx);
        await tx.audit({ event: 'server.copy', outcome: 'success' });
      },
      { lock: MIGRATION_LOCK },
    );
  }
}
