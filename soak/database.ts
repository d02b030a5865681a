// The PostgreSQL of a run, whichever of its servers takes the writes.
import pg from 'pg';
import { type Postgres, startPostgres } from '../test/postgres.ts';
import { signalAll } from './process-tree.ts';

export interface Database {
  readonly postgres: Postgres;
  /** Of the first server. */
  readonly url: string;
  /** Asks the server that takes the writes, not through a wire. */
  query(sql: string): Promise<readonly Record<string, unknown>[]>;
}

/** Room for a standby beside it. */
const DISK_MB = 1_024;

/** @param isOnDisk whether it gets a disk of its own, which can be full */
export async function openDatabase(isOnDisk: boolean): Promise<Database> {
  const postgres = await startPostgres({ diskMb: isOnDisk ? DISK_MB : 0 });
  process.on('exit', () => {
    for (const pid of postgres.pids()) {
      try {
        signalAll(pid, 'SIGCONT');
        process.kill(pid, 'SIGQUIT');
      } catch {
        // It has ended before.
      }
    }
  });
  const url = await postgres.database();
  const current = () => Object.assign(new URL(url), { port: String(postgres.port()) }).href;
  return { postgres, url, query: (sql) => query(current(), sql) };
}

async function query(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(sql)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}
