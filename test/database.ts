// The database of a server that a test starts: a SQLite file of its own, or one of the PostgreSQL that the runner has started for this run of the file.
import pg from 'pg';

/** Address of the runner's PostgreSQL; the runner runs a file a second time with it. */
export const POSTGRES_VARIABLE = 'GATEHOUSE_TEST_POSTGRES';

/** Address of the same PostgreSQL, for each file of a run: those that test both databases themselves take theirs from it. */
export const RUN_POSTGRES_VARIABLE = 'GATEHOUSE_TEST_RUN_POSTGRES';

/** Whether this run of the file is the second one. */
export const IS_ON_POSTGRES = process.env[POSTGRES_VARIABLE] !== undefined;

/** With the order of a language, as most databases outside of tests have it: what relies on the order of bytes has to say so. */
export const IN_A_LANGUAGE = "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'";

const made = new Map<string, Promise<string>>();
let databases = 0;

/** @param folder of the server: one that is started again over it finds its database again @returns undefined for SQLite */
export async function postgresDatabase(folder: string): Promise<string | undefined> {
  const cluster = process.env[POSTGRES_VARIABLE];
  if (cluster === undefined) return undefined;
  const database = made.get(folder) ?? createDatabase(cluster);
  made.set(folder, database);
  return database;
}

/** @param cluster address of any database of a PostgreSQL that several processes use @returns that of a fresh, empty one */
export async function createDatabase(cluster: string): Promise<string> {
  databases += 1;
  const name = `test_${process.pid}_${databases}`;
  await query(cluster, `CREATE DATABASE ${name} ${IN_A_LANGUAGE}`);
  const url = new URL(cluster);
  url.pathname = `/${name}`;
  return url.href;
}

/** All that PostgreSQL has in its files at this moment, its log of changes among them. @returns their folder */
export async function postgresFiles(): Promise<string> {
  const cluster = process.env[POSTGRES_VARIABLE] as string;
  await query(cluster, 'CHECKPOINT');
  const [row] = await query(cluster, 'SHOW data_directory');
  return (row as { data_directory: string }).data_directory;
}

async function query(url: string, sql: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}
