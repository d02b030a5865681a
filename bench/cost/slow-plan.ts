// Finds out which statement makes a request slow on PostgreSQL, and how the database runs it.
import pg from 'pg';

const TRIES = 100;
const PAUSE_MS = 20;

/** @param ask repeats the slow request @returns the statement and its plan; undefined if it was not seen */
export async function slowPlan(url: string, ask: () => Promise<unknown>): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let isAnswered = false;
    const answered = ask().then(() => {
      isAnswered = true;
    });
    const text = await running(client, () => isAnswered);
    await answered;
    return text === undefined ? undefined : `${text}\n${await planOf(client, text)}`;
  } finally {
    await client.end();
  }
}

async function running(client: pg.Client, isOver: () => boolean): Promise<string | undefined> {
  const sql = `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'gatehouse' AND state = 'active'
    AND now() - query_start > interval '40 ms' ORDER BY query_start LIMIT 1`;
  for (let tries = 0; tries < TRIES && !isOver(); tries++) {
    const { rows } = await client.query<{ query: string }>(sql);
    if (rows[0]) return rows[0].query;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return undefined;
}

/** The plan for any parameters, as after some runs of the statement. */
async function planOf(client: pg.Client, text: string): Promise<string> {
  const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  await client.query('SET plan_cache_mode = force_generic_plan');
  await client.query(`PREPARE slow AS ${text}`);
  const { rows } = await client.query<Record<string, string>>(`EXPLAIN EXECUTE slow${count === 0 ? '' : `(${Array(count).fill('NULL').join(', ')})`}`);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}
