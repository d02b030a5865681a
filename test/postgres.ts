// A PostgreSQL of the test's own, from Debian's package, on a free loopback port, gone when the test ends.
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { postgresFolder } from './system.ts';

export interface Postgres {
  /** Address of a fresh, empty database. */
  database(): Promise<string>;
  /** Ends the server at once, as a crash would. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** The process of the server. */
  pid(): number;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<Postgres> {
  const bin = postgresFolder() as string;
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pg-'));
  const data = join(folder, 'data');
  const account = serverAccount();
  if (account) chownSync(folder, account.uid, account.gid);
  const run = (command: string, args: readonly string[]) => {
    const { status, stderr } = spawnSync(join(bin, command), args, { ...account, cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command} failed: ${stderr}`);
  };
  run('initdb', ['-D', data, '-U', 'gatehouse', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C']);
  const port = await freePort();
  const url = (name: string) => `postgres://gatehouse@127.0.0.1:${port}/${name}`;
  let server: ReturnType<typeof spawn> | undefined;
  let databases = 0;
  const start = async () => {
    server = spawn(
      join(bin, 'postgres'),
      ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', '-c', 'max_connections=200'],
      { ...account, cwd: folder, stdio: 'ignore' },
    );
    for (let tries = 0; ; tries++) {
      if (await query(url('postgres'), 'SELECT 1').catch(() => false)) return;
      if (tries > 200) throw new Error('postgres did not start');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const end = (signal: NodeJS.Signals) =>
    new Promise<void>((resolve) => {
      if (!server || server.exitCode !== null) return resolve();
      server.on('exit', () => resolve());
      server.kill(signal);
    });
  await start();
  return {
    async database() {
      databases += 1;
      await query(url('postgres'), `CREATE DATABASE test${databases}`);
      return url(`test${databases}`);
    },
    // An immediate shutdown: every connection is cut and nothing is finished.
    crash: () => end('SIGQUIT'),
    start,
    pid: () => server?.pid as number,
    async stop() {
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function query(url: string, sql: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  await client.query(sql);
  await client.end();
  return true;
}

/** PostgreSQL refuses to run as root; its package makes an account for it. */
function serverAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const number = (flag: string) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
  return { uid: number('-u'), gid: number('-g') };
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
