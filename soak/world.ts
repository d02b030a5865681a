// Where a run takes place: started nodes with what they need, the database and the wires to it, and everybody who asks them.
import { randomBytes } from 'node:crypto';
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { CLIENT_AUTH, makeCertificate, SERVER_AUTH } from '../test/certificates.ts';
import { type Disk, mountDisk } from '../test/disk.ts';
import { freePort, type Postgres, startPostgres } from '../test/postgres.ts';
import { temporaryFolder } from '../test/server.ts';
import { postgresFolder } from '../test/system.ts';
import { Caller, type Manners } from './caller.ts';
import type { Client } from './clients/client.ts';
import { openWire, type Wire } from './database.ts';
import { type Hsm, openHsm } from './hsm.ts';
import { ListenerConnection } from './listener-connection.ts';
import { Node } from './node.ts';
import { OptionError, type SoakOptions } from './options.ts';
import { type Random, seeded } from './seeded.ts';
import { Tally } from './tally.ts';

export interface World {
  readonly store: SoakOptions['store'];
  readonly nodes: readonly Node[];
  readonly random: Random;
  readonly tally: Tally;
  readonly manners: Manners;
  readonly hsm: Hsm;
  /** Of the data folder; undefined where none can be mounted. */
  readonly disk?: Disk;
  /** What libfaketime reads; without it, why there is none. */
  readonly clock: { readonly file?: string; readonly why: string };
  /** One for each node. */
  readonly wires: readonly Wire[];
  readonly database?: { readonly postgres: Postgres; pid(): number; query(sql: string): Promise<readonly Record<string, unknown>[]> };
  /** Asks the first node, with a certificate. */
  readonly operator: Caller;
  client(name: string, root: string): Promise<Client>;
  end(): Promise<void>;
}

const NODES = { sqlite: 1, postgres: 2 } as const;
const FRONTS = 2;
const DISK_MB = 512;

export async function makeWorld(options: Pick<SoakOptions, 'store' | 'seed' | 'faults'>): Promise<World> {
  if (options.store === 'postgres' && !postgresFolder()) throw new OptionError('--store postgres needs PostgreSQL: apt-get install postgresql');
  const folder = temporaryFolder();
  const authority = await makeCertificate('CN=ca');
  const own = await makeCertificate('CN=server', { issuer: authority, usage: SERVER_AUTH, names: ['127.0.0.1'] });
  const ends: (() => unknown)[] = [];
  const hsm = openHsm();
  const clock = openClock(folder, options.faults.includes('clock-jumps'));
  const postgres = options.store === 'postgres' ? await startPostgres() : undefined;
  const url = await postgres?.database();
  const root = randomBytes(32).toString('hex');
  const wires: Wire[] = [];
  const nodes: Node[] = [];
  let disk: Disk | undefined;
  for (let at = 1; at <= NODES[options.store]; at++) {
    const name = `node${at}`;
    const home = join(folder, name);
    mkdirSync(home, { recursive: true, mode: 0o700 });
    mkdirSync(join(home, 'data'), { mode: 0o700 });
    if (!url) disk = mountDisk(join(home, 'data'), DISK_MB);
    for (const [file, text] of [
      ['cert.pem', own.cert],
      ['key.pem', own.key],
      ['ca.pem', authority.cert],
    ] as const)
      writeFileSync(join(home, file), text, { mode: 0o600 });
    const wire = url === undefined ? undefined : await openWire(url);
    if (wire) wires.push(wire);
    const ports = { https: await freePort(), kmip: await freePort() };
    const store = wire ? `[store]\nurl = "${wire.url}"\nroot_key = "${root}"\n` : '';
    const config = `${configOf(ports)}${store}${at === 1 ? hsm.config : ''}`;
    nodes.push(new Node({ name, folder: home, ports, config, ca: authority.cert, env: { ...ENV, ...clock.env } }));
  }
  const tally = new Tally();
  const manners: Manners = { hangUps: 0 };
  const random = seeded(options.seed);
  const callerOf = async (node: Node, name: string) => {
    const made = await makeCertificate(`CN=${name}`, { issuer: authority, usage: CLIENT_AUTH });
    const certificate = { name, cert: made.cert, key: made.key };
    const caller = new Caller(node, authority.cert, certificate, { tally, manners });
    const listener = new ListenerConnection(node, authority.cert, certificate, tally);
    ends.push(
      () => listener.close(),
      () => caller.close(),
    );
    return { caller, listener };
  };
  // Nobody hangs up on the operator.
  const operator = new Caller(nodes[0] as Node, authority.cert, (await callerOf(nodes[0] as Node, 'operator')).caller.certificate, {
    tally: new Tally(),
    manners: { hangUps: 0 },
  });
  return {
    ...{ store: options.store, nodes, random, tally, manners, hsm, clock, wires, operator, ...(disk && { disk }) },
    ...(postgres && url && { database: { postgres, pid: postgres.pid, query: (sql: string) => query(url, sql) } }),
    async client(name, root) {
      const voices = await Promise.all(nodes.map((node) => callerOf(node, name)));
      return { name, voices, random: seeded(random.below(2 ** 31)), tally, root };
    },
    async end() {
      await operator.close();
      for (const end of ends) await end();
      for (const wire of wires) wire.heal();
      await Promise.all(nodes.map((node) => node.stop()));
      for (const wire of wires) await wire.close();
      await postgres?.stop();
      hsm.end();
      disk?.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const ENV: NodeJS.ProcessEnv = {
  GATEHOUSE_ADMIN_PASSWORD: 'the first password',
  UV_THREADPOOL_SIZE: '6',
  MALLOC_MMAP_THRESHOLD_: '1048576',
};
export const FIRST_PASSWORD = ENV['GATEHOUSE_ADMIN_PASSWORD'] as string;

function configOf({ kmip }: { readonly kmip: number }): string {
  return `[http]
threads = ${FRONTS}
[http.tls]
cert = "cert.pem"
key = "key.pem"
client_ca = "ca.pem"
[auth]
login_rate_per_second = 1000000
login_rate_burst = 1000000
[auth.quotas]
sessions_per_identity = 0
tokens_per_identity = 0
[tokenize]
time_limit_ms = 10000
[keys.kmip_listener]
enabled = true
port = ${kmip}
`;
}

/** libfaketime reads the file again each second; the clocks that only count stay as they are. */
function openClock(folder: string, isWanted: boolean) {
  const [library] = globSync('/usr/lib/*-linux-gnu/faketime/libfaketimeMT.so.1');
  if (!isWanted || !library)
    return { why: isWanted ? 'without libfaketime the clock of one process cannot jump: apt-get install libfaketime' : 'not wanted', env: {} };
  const file = join(folder, 'clock');
  writeFileSync(file, '+0\n');
  const env = { LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_CACHE_DURATION: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1', FAKETIME_DONT_RESET: '1' };
  return { file, why: '', env };
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
