// What questions cost a PostgreSQL on this machine: the CPU time of its processes for the server's connections.
import { existsSync } from 'node:fs';
import pg from 'pg';
import { cpuMsOf } from './process-cost.ts';

/** Each process has used so much so far, milliseconds. */
export type DatabaseCost = ReadonlyMap<number, number>;

/** Empty where its processes cannot be seen. Workers that helped with a statement and have ended are not counted. */
export async function databaseCost(url: string): Promise<DatabaseCost> {
  if (!existsSync('/proc/self/stat')) return new Map();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'gatehouse' AND datname = current_database()",
  );
  await client.end();
  return new Map(rows.filter(({ pid }) => existsSync(`/proc/${pid}`)).map(({ pid }) => [pid, cpuMsOf(pid)]));
}

export function spentSince(before: DatabaseCost, after: DatabaseCost): number {
  return [...after].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0);
}
