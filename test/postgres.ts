// A PostgreSQL of the test's own, from Debian's package, on a free loopback port, gone when the test ends.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { IN_A_LANGUAGE } from './database.ts';
import { type Disk, mountDisk } from './disk.ts';
import { postgresFolder } from './system.ts';

export interface Postgres {
  /** Address of a fresh, empty database. */
  database(): Promise<string>;
  /** Ends the server at once, as a crash would. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** The process of the server; after a promotion, of the one that was promoted. */
  pid(): number;
  /** Those of its standbys too. */
  pids(): readonly number[];
  port(): number;
  /** Of the files of its servers; undefined if none was wanted, or none can be mounted. */
  readonly disk: Disk | undefined;
  /** A copy that follows it, and takes no writes. */
  standby(): Promise<Standby>;
  stop(): Promise<void>;
}

export interface Standby {
  readonly port: number;
  /** It takes the place of the server that it followed, which must have ended. */
  promote(): Promise<void>;
}

const SETTINGS = { listen_addresses: '127.0.0.1', fsync: 'off', max_connections: 200, wal_retrieve_retry_interval: '500ms' };

/** The log of its changes must leave room on a small disk. */
const ON_A_DISK = { max_wal_size: '64MB', min_wal_size: '32MB' };

/** @param diskMb size of a disk of its own, which can be full; 0: none @param isDurable whether what is committed survives the end of the machine, which costs time */
export async function startPostgres({ diskMb = 0, isDurable = false } = {}): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pg-'));
  const disk = diskMb > 0 ? mountDisk(folder, diskMb) : undefined;
  const account = serverAccount();
  if (account) chownSync(folder, account.uid, account.gid);
  const run = async (command: string, args: readonly string[]) => {
    const child = spawn(programOf(command), args, { ...account, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (data) => (said += data));
    const [status] = await once(child, 'close');
    if (status !== 0) throw new Error(`${command} failed: ${said}`);
  };
  const serverAt = async (data: string) =>
    new Server(folder, data, await freePort(), account, { ...SETTINGS, ...(disk && ON_A_DISK), ...(isDurable && { fsync: 'on' }) });
  await run('initdb', ['-D', join(folder, 'data'), '-U', 'gatehouse', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C']);
  let current = await serverAt('data');
  let databases = 0;
  const all = [current];
  await current.start();
  return {
    ...{ disk, start: () => current.start(), pid: () => current.pid, port: () => current.port },
    pids: () => all.flatMap((server) => (server.isRunning ? [server.pid] : [])),
    async database() {
      databases += 1;
      await query(current.url('postgres'), `CREATE DATABASE test${databases} ${IN_A_LANGUAGE}`);
      return current.url(`test${databases}`);
    },
    // An immediate shutdown: every connection is cut and nothing is finished.
    crash: () => current.end('SIGQUIT'),
    async standby() {
      const data = `data${all.length}`;
      await run('pg_basebackup', [
        '-h',
        '127.0.0.1',
        '-p',
        String(current.port),
        '-U',
        'gatehouse',
        '-D',
        join(folder, data),
        '-R',
        '--checkpoint=fast',
        '--no-sync',
      ]);
      const made = await serverAt(data);
      all.push(made);
      await made.start();
      return {
        port: made.port,
        async promote() {
          await run('pg_ctl', ['promote', '-D', join(folder, data)]);
          rmSync(join(folder, current.data), { recursive: true, force: true });
          current = made;
        },
      };
    },
    async stop() {
      for (const server of all) await server.end('SIGINT');
      disk?.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

class Server {
  readonly data: string;
  readonly port: number;
  readonly #folder: string;
  readonly #account: ReturnType<typeof serverAccount>;
  readonly #settings: Readonly<Record<string, string | number>>;
  #child: ChildProcess | undefined;

  constructor(folder: string, data: string, port: number, account: ReturnType<typeof serverAccount>, settings: Readonly<Record<string, string | number>>) {
    this.#settings = settings;
    this.data = data;
    this.port = port;
    this.#folder = folder;
    this.#account = account;
  }

  get pid(): number {
    return this.#child?.pid as number;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  url(name: string): string {
    return `postgres://gatehouse@127.0.0.1:${this.port}/${name}`;
  }

  /** Does nothing if it runs. */
  async start(): Promise<void> {
    if (this.isRunning) return;
    const settings = Object.entries(this.#settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const args = ['-D', join(this.#folder, this.data), '-p', String(this.port), '-k', this.#folder, ...settings];
    this.#child = spawn(programOf('postgres'), args, { ...this.#account, cwd: this.#folder, stdio: 'ignore' });
    for (let tries = 0; ; tries++) {
      if (await query(this.url('postgres'), 'SELECT 1').catch(() => false)) return;
      if (tries > TRIES || !this.isRunning) throw new Error('postgres did not start');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (!this.isRunning) return;
    const gone = once(this.#child as ChildProcess, 'exit');
    this.#child?.kill(signal);
    await gone;
  }
}

const TRIES = 600;

function programOf(name: string): string {
  return join(postgresFolder() as string, name);
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
