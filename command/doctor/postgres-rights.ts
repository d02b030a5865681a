// What the user of a PostgreSQL database may do and see there, and whether the database keeps every text.
import type { ClientBase } from 'pg';
import { troubleOf } from '../../kernel/store/encoding.ts';
import { hidingsOf } from '../../kernel/store/hidden-rows.ts';
import { type Finding, problem, warning } from './finding.ts';

/** A check of each right by itself: of a list, PostgreSQL asks for any. */
const RIGHTS = `SELECT current_user AS "user", current_schema() AS schema, current_setting('server_encoding') AS encoding,
  current_setting('transaction_read_only') = 'on' AS "isReadOnly",
  current_schema() IS NOT NULL AND has_schema_privilege(current_schema(), 'CREATE') AS "mayMake",
  (SELECT COALESCE(json_agg(c.relname ORDER BY c.relname), '[]') FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = to_regnamespace(quote_ident(current_schema()))
    AND NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT') AND has_table_privilege(c.oid, 'UPDATE')
      AND has_table_privilege(c.oid, 'DELETE'))) AS lacking,
  to_regclass(quote_ident(current_schema()) || '.migration') IS NOT NULL AS "isStarted",
  (SELECT LEAST(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int, NULLIF(rolconnlimit, -1), NULLIF(datconnlimit, -1))
    FROM pg_roles JOIN pg_database ON datname = current_database() WHERE rolname = current_user) AS connections`;

interface Rights {
  readonly user: string;
  readonly schema: string | null;
  readonly encoding: string;
  readonly isReadOnly: boolean;
  readonly mayMake: boolean;
  /** Tables that it may not read or write. */
  readonly lacking: readonly string[];
  /** A server has made its tables. */
  readonly isStarted: boolean;
  /** That it may have at once, in this database. */
  readonly connections: number;
}

/** A node with one front, whose clients kept two cores busy with all services but HSMs and models, had 21. */
const NEEDED_CONNECTIONS = 30;

const NAMED = 5;

export async function rightsIn(client: Pick<ClientBase, 'query'>): Promise<Finding[]> {
  const { rows } = await client.query<Rights>(RIGHTS);
  const { user, schema, encoding, isReadOnly, mayMake, lacking, isStarted, connections } = rows[0] as Rights;
  const findings: Finding[] = [];
  const tell = (say: typeof problem, says: string, advice: string) => void findings.push(say('database', says, advice));
  const unfit = troubleOf(encoding);
  if (unfit) tell(problem, `it ${unfit.says}`, unfit.advice);
  if (isReadOnly)
    tell(
      problem,
      'it takes no writes',
      'name the server that takes them, not a standby, and look at default_transaction_read_only of the database and its user',
    );
  if (schema === null)
    tell(problem, `the user ${user} has no schema that it may use`, 'look at search_path of the user, and grant it USAGE and CREATE on the schema');
  else if (!mayMake)
    tell(
      isStarted ? warning : problem,
      `the user ${user} may make no tables in the schema ${schema}${isStarted ? ', which a later version has to' : ''}`,
      `let the user own the database, or GRANT CREATE ON SCHEMA ${schema} TO ${user}`,
    );
  if (lacking.length > 0)
    tell(
      problem,
      `the user ${user} may not read and write ${lacking.length} of the tables: ${lacking.slice(0, NAMED).join(', ')}${lacking.length > NAMED ? ', ...' : ''}`,
      `let the user own them, or GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${user}`,
    );
  if (connections < NEEDED_CONNECTIONS)
    tell(
      warning,
      `the user ${user} may have ${connections} connections; a node under load takes ${NEEDED_CONNECTIONS}, and what gets none is refused with 503`,
      `ALTER ROLE ${user} CONNECTION LIMIT, or raise max_connections or the limit of the database`,
    );
  const rowsOf = async <T extends object>(sql: string) => (await client.query<T>(sql)).rows;
  for (const hiding of await hidingsOf({ all: rowsOf })) tell(hiding.isCertain ? problem : warning, hiding.says, hiding.advice);
  return findings;
}
