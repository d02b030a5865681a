// Whether PostgreSQL hides what a server has stored: behind a schema that comes first, or by row level security. All would look as if it were not there.
import type { Dialect, Reader } from './store.ts';

/** Of a table that only gatehouse has; one that the user may not read is that of another installation. */
const BEHIND = `SELECT current_schema() AS first, (SELECT relnamespace::regnamespace::text FROM pg_class WHERE oid = to_regclass('data_key')) AS behind
  WHERE to_regclass(quote_ident(current_schema()) || '.data_key') IS NULL AND has_table_privilege(to_regclass('data_key'), 'SELECT')`;
/** Of the owner of a table PostgreSQL hides nothing, unless it is forced to. */
const CLOSED = `SELECT current_user AS "user", relname AS name, EXISTS (SELECT 1 FROM pg_policy WHERE polrelid = pg_class.oid) AS "hasPolicies"
  FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = to_regnamespace(quote_ident(current_schema())) AND row_security_active(oid) ORDER BY relname`;

interface Hiding {
  readonly says: string;
  readonly advice: string;
  /** A policy may let the user have every row. */
  readonly isCertain: boolean;
}

interface ClosedTable {
  readonly user: string;
  readonly name: string;
  readonly hasPolicies: boolean;
}

/** @param own tables of gatehouse: others of the same schema do not matter; undefined: all */
export async function hidingsOf(reader: Pick<Reader, 'all'>, own?: ReadonlySet<string>): Promise<Hiding[]> {
  const [order] = await reader.all<{ first: string; behind: string }>(BEHIND);
  const closed = (await reader.all<ClosedTable>(CLOSED)).filter(({ name }) => own === undefined || own.has(name));
  const hidings: Hiding[] = [];
  if (order)
    hidings.push({
      says: `the tables of gatehouse are in the schema ${order.behind}, but ${order.first} comes before it, where new ones would be made`,
      advice: `give the user its old search_path again: ALTER ROLE ... SET search_path = ${order.behind}`,
      isCertain: true,
    });
  for (const isCertain of [true, false]) {
    const some = closed.filter(({ hasPolicies }) => hasPolicies !== isCertain);
    if (some.length > 0) hidings.push(byPolicies(some, isCertain));
  }
  return hidings;
}

/**
 * Without this check a server would make new tables beside the old ones, or tell its users that their keys do not exist.
 * @param migrations their SQL, which names the tables of gatehouse @returns what hides some for certain, and what to do
 */
export async function hiddenProblem(reader: Pick<Reader, 'all'>, dialect: Dialect, migrations: readonly string[]): Promise<string | undefined> {
  if (dialect === 'sqlite') return undefined;
  const made = migrations.flatMap((sql) => [...sql.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name as string));
  const hiding = (await hidingsOf(reader, new Set(['migration', ...made]))).find(({ isCertain }) => isCertain);
  return hiding && `${hiding.says}; ${hiding.advice}`;
}

function byPolicies(tables: readonly ClosedTable[], isCertain: boolean): Hiding {
  const [{ user, name }] = tables as [ClosedTable];
  const more = tables.length > 1 ? ` and ${tables.length - 1} more` : '';
  return {
    says: `row level security ${isCertain ? 'hides' : 'may hide'} rows of ${name}${more} from the user ${user}`,
    advice: 'ALTER TABLE ... DISABLE ROW LEVEL SECURITY, or give the user BYPASSRLS',
    isCertain,
  };
}
