// Counts how much each scope uses. Triggers in the database keep the counts in the transaction of each change, so that no change is missed.
import { Fault } from '../fault.ts';
import type { Dialect, Reader } from './store.ts';

/** A quantity that is counted from the rows of a table. */
export interface Counter {
  readonly kind: string;
  /** SQL for the scope that a row belongs to; null for none. @param row `NEW`, `OLD` or the name of the table */
  scope(row: string, dialect: Dialect): string;
  /** SQL for the amount of a row. Default: 1. */
  amount?(row: string): string;
}

export interface CountedTable {
  readonly table: string;
  readonly counters: readonly Counter[];
  /** Columns whose update changes a count. Absent if only inserts and deletes do. */
  readonly changing?: readonly string[];
  /** The counter of another table counts the existing rows. */
  readonly isCounted?: true;
}

/** @returns SQL for a migration: creates the table of amounts, counts the existing rows, and adds the triggers */
export function countingSql(usage: string, tables: readonly CountedTable[]): Readonly<Record<Dialect, string>> {
  const sql = (dialect: Dialect) =>
    [
      `CREATE TABLE ${usage} (kind TEXT NOT NULL, scope TEXT NOT NULL, amount BIGINT NOT NULL, PRIMARY KEY (kind, scope));`,
      ...tables.flatMap((counted) => [
        present(usage, counted, dialect),
        dialect === 'sqlite' ? sqliteTriggers(usage, counted) : postgresTriggers(usage, counted),
      ]),
    ].join('\n');
  return { sqlite: sql('sqlite'), postgres: sql('postgres') };
}

/** A limit of an amount per scope. */
export interface Quota {
  /** The table of amounts. */
  readonly usage: string;
  readonly kind: string;
  /** Key of the limit in the configuration. */
  readonly name: string;
  /** 0: no limit. */
  readonly most: number;
}

/** Whether the amount, with what this transaction has added and `more` to come, exceeds the quota. */
export async function isOver(from: Reader, { usage, kind, most }: Quota, scope: string, more = 0): Promise<boolean> {
  if (most === 0) return false;
  const row = await from.get<{ amount: number }>(`SELECT amount FROM ${usage} WHERE kind = $1 AND scope = $2`, [kind, scope]);
  return (row?.amount ?? 0) + more > most;
}

/** @returns the text of a refusal */
export function overQuota({ name, most }: Pick<Quota, 'name' | 'most'>, scope: string): string {
  return `${name}: no more than ${most} for ${scope}`;
}

/** Call it after something was added. Existing rows stay, even above the quota. @throws Fault with this code, which rolls back the transaction */
export async function requireQuota(from: Reader, quota: Quota, scope: string, code: string): Promise<void> {
  if (await isOver(from, quota, scope)) throw new Fault(code, { detail: overQuota(quota, scope) });
}

const amountOf = ({ amount }: Counter, row: string) => amount?.(row) ?? '1';

function present(usage: string, { table, counters, isCounted }: CountedTable, dialect: Dialect): string {
  return (isCounted ? [] : counters)
    .map((counter) => {
      const scope = counter.scope(table, dialect);
      return `INSERT INTO ${usage} (kind, scope, amount) SELECT '${counter.kind}', ${scope}, SUM(${amountOf(counter, table)}) FROM ${table} WHERE ${scope} IS NOT NULL GROUP BY ${scope} HAVING SUM(${amountOf(counter, table)}) > 0;`;
    })
    .join('\n');
}

function addSql(usage: string, counter: Counter, dialect: Dialect): string {
  const scope = counter.scope('NEW', dialect);
  return `INSERT INTO ${usage} (kind, scope, amount) SELECT '${counter.kind}', ${scope}, ${amountOf(counter, 'NEW')} WHERE ${scope} IS NOT NULL AND ${amountOf(counter, 'NEW')} > 0
    ON CONFLICT (kind, scope) DO UPDATE SET amount = ${usage}.amount + excluded.amount;`;
}

/** A scope with the amount 0 has no row. */
function removeSql(usage: string, counter: Counter, dialect: Dialect): string {
  const own = `kind = '${counter.kind}' AND scope = ${counter.scope('OLD', dialect)}`;
  return `UPDATE ${usage} SET amount = amount - (${amountOf(counter, 'OLD')}) WHERE ${own};
    DELETE FROM ${usage} WHERE ${own} AND amount <= 0;`;
}

const changedSql = (columns: readonly string[]) => columns.map((column) => `OLD.${column} <> NEW.${column}`).join(' OR ');

function sqliteTriggers(usage: string, { table, counters, changing }: CountedTable): string {
  const all = (sql: typeof addSql) => counters.map((counter) => sql(usage, counter, 'sqlite')).join('\n');
  const updates = `CREATE TRIGGER ${table}_changed AFTER UPDATE ON ${table} WHEN ${changedSql(changing ?? [])} BEGIN ${all(removeSql)} ${all(addSql)} END;`;
  return `CREATE TRIGGER ${table}_added AFTER INSERT ON ${table} BEGIN ${all(addSql)} END;
    CREATE TRIGGER ${table}_removed AFTER DELETE ON ${table} BEGIN ${all(removeSql)} END;
    ${changing ? updates : ''}`;
}

/**
 * Runs once per statement, with the sum of its changes per scope. A thousand updates of one row of amounts in one transaction would be slow,
 * because each has to skip the row versions of those before it.
 */
function postgresTriggers(usage: string, { table, counters, changing }: CountedTable): string {
  const changes = (counter: Counter, parts: readonly string[]) => `INSERT INTO ${usage} (kind, scope, amount)
      SELECT '${counter.kind}', scope, ${SUM} FROM (${parts.join(' UNION ALL ')}) AS changes
        ${GROUPED}
      ON CONFLICT (kind, scope) DO UPDATE SET amount = ${usage}.amount + excluded.amount;`;
  const dropEmptySql = (counter: Counter) => `DELETE FROM ${usage} WHERE kind = '${counter.kind}' AND amount <= 0
      AND scope IN (SELECT ${counter.scope('counted', 'postgres')} FROM (${ROWS.DELETE}) AS counted);`;
  const trigger = (operation: string, referencing: string) =>
    `CREATE TRIGGER ${table}_counted_${operation.toLowerCase()} AFTER ${operation} ON ${table} REFERENCING ${referencing} FOR EACH STATEMENT EXECUTE FUNCTION ${table}_counted();`;
  return `${functionSql({ table, counters }, changes, dropEmptySql)}
    ${trigger('INSERT', 'NEW TABLE AS added')}
    ${trigger('DELETE', 'OLD TABLE AS removed')}
    ${changing ? trigger('UPDATE', 'OLD TABLE AS removed NEW TABLE AS added') : ''}`;
}

/**
 * @param add SQL function of a kind, a scope and an amount, which may be negative
 * @returns SQL for PostgreSQL that has the triggers of tables call it, once for each statement and scope
 */
export function countingFunctionsSql(add: string, tables: readonly CountedTable[]): string {
  const changes = (counter: Counter, parts: readonly string[]) => `PERFORM ${add}('${counter.kind}', scope, amount)
      FROM (SELECT scope, ${SUM} AS amount FROM (${parts.join(' UNION ALL ')}) AS changes ${GROUPED}) AS sums;`;
  return tables.map((counted) => functionSql(counted, changes, () => '')).join('\n');
}

const ROWS = { INSERT: 'SELECT * FROM added', DELETE: 'SELECT * FROM removed' } as const;
const SUM = 'CAST(SUM(amount) AS BIGINT)';
const GROUPED = 'WHERE scope IS NOT NULL GROUP BY scope HAVING SUM(amount) <> 0 ORDER BY scope';

/** @param changes SQL that adds the sums of some rows to the amounts @param after SQL that follows where rows were removed */
function functionSql(
  { table, counters }: CountedTable,
  changes: (counter: Counter, parts: readonly string[]) => string,
  after: (counter: Counter) => string,
): string {
  const of = (counter: Counter, from: string, sign: '' | '-') =>
    `SELECT ${counter.scope('counted', 'postgres')} AS scope, ${sign}(${amountOf(counter, 'counted')}) AS amount FROM (${from}) AS counted`;
  const added = counters.map((counter) => changes(counter, [of(counter, ROWS.INSERT, '')])).join('\n');
  const removed = counters.map((counter) => changes(counter, [of(counter, ROWS.DELETE, '-')]) + after(counter)).join('\n');
  const both = counters.map((counter) => changes(counter, [of(counter, ROWS.INSERT, ''), of(counter, ROWS.DELETE, '-')]) + after(counter)).join('\n');
  return `CREATE OR REPLACE FUNCTION ${table}_counted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF TG_OP = 'INSERT' THEN ${added} ELSIF TG_OP = 'DELETE' THEN ${removed} ELSE ${both} END IF;
      RETURN NULL; END $$;`;
}
