// A PgBouncer of the test's own in front of a PostgreSQL: after each transaction a connection of the server is given to another client.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './postgres.ts';
import { until } from './runtime.ts';

export interface PgBouncer {
  /** Address of the database through it. */
  readonly url: string;
  stop(): Promise<void>;
}

/** It refuses to run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** @param url of the database @param connections to the server, for all clients together */
export async function startPgBouncer(url: string, connections: number): Promise<PgBouncer> {
  const through = new URL(url);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bouncer-'));
  const file = join(folder, 'pgbouncer.ini');
  const lines = [
    ...['[databases]', `* = host=${through.hostname} port=${through.port} user=${through.username}`],
    ...['[pgbouncer]', 'listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = any'],
    ...['pool_mode = transaction', `default_pool_size = ${connections}`, 'max_client_conn = 500', 'server_round_robin = 1'],
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  chmodSync(folder, 0o755);
  const child = spawn('/usr/sbin/pgbouncer', [file], { ...(process.getuid?.() === 0 && NOBODY), cwd: '/', stdio: 'ignore' });
  through.port = String(port);
  await until(() => child.exitCode !== null || answers(through.href), 'PgBouncer answers');
  if (child.exitCode !== null) throw new Error('PgBouncer did not start');
  return {
    url: through.href,
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
