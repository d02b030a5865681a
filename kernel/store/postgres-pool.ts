// Connections to PostgreSQL that several readers share, and what is asked of every new one.
import pg from 'pg';
import { Fault } from '../fault.ts';
import { isPooled } from './pooler.ts';
import { NOT_WRITABLE } from './postgres-error.ts';
import { forgetNames } from './postgres-query.ts';
import { WatchedClient } from './silent-connection.ts';

/** @returns a pool each of whose connections is met before its first use */
export function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...config, verify: (client, done) => void begin(client).then(() => done(), done) });
  // The next query replaces a broken idle connection. Without these listeners the error would end the thread: the pool hears it of idle connections only, and
  // nobody of one that is cut between two questions.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

async function begin(client: pg.PoolClient): Promise<void> {
  await meet(client);
  if (client instanceof WatchedClient) await client.watch();
}

/**
 * A standby may be behind: what was revoked is still valid there. So nothing is read from it either.
 * @throws Fault UNAVAILABLE for a server that takes no writes
 */
export async function requireWritable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ value: string }>("SELECT current_setting('transaction_read_only') AS value");
  if (rows[0]?.value === 'on') throw new Fault('UNAVAILABLE', { detail: NOT_WRITABLE });
}

/**
 * To be called for each new connection, before anything else is asked on it. Nothing is set on it for good: a pooler would give that to others.
 * @throws Fault UNAVAILABLE for a server that takes no writes
 */
export async function meet(client: pg.ClientBase): Promise<void> {
  await requireWritable(client);
  if (await isPooled(client)) forgetNames();
}
