// The nodes of a run with all that they stand on: folders, a disk, a token, a clock, and PostgreSQL with a wire to each of them.
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Made, makeCertificate, SERVER_AUTH } from '../test/certificates.ts';
import { type Disk, mountDisk } from '../test/disk.ts';
import { freePort } from '../test/postgres.ts';
import { temporaryFolder } from '../test/server.ts';
import { postgresFolder } from '../test/system.ts';
import { type Clock, openClock } from './clock.ts';
import { type Database, openDatabase } from './database.ts';
import { type Hsm, openHsm } from './hsm.ts';
import { Node } from './node.ts';
import { OptionError, type SoakOptions } from './options.ts';
import { openWire, type Wire } from './wire.ts';

export interface Cluster {
  readonly nodes: readonly Node[];
  /** One for each node. */
  readonly wires: readonly Wire[];
  readonly database: Database | undefined;
  /** Of the data folder of the only node; undefined where none can be mounted. */
  readonly disk: Disk | undefined;
  readonly hsm: Hsm;
  readonly clock: Clock;
  /** Issues the certificates of the nodes and of their clients. */
  readonly authority: Made;
  end(): Promise<void>;
}

const NODES = { sqlite: 1, postgres: 2 } as const;
const FRONTS = 2;
const DISK_MB = 512;

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

export async function makeCluster({ store, faults }: Pick<SoakOptions, 'store' | 'faults'>): Promise<Cluster> {
  if (store === 'postgres' && !postgresFolder()) throw new OptionError('--store postgres needs PostgreSQL: apt-get install postgresql');
  const folder = temporaryFolder();
  const authority = await makeCertificate('CN=ca');
  const hsm = openHsm();
  const clock = openClock(folder, faults.includes('clock-jumps'));
  const database = store === 'postgres' ? await openDatabase(faults.includes('database-disk-full')) : undefined;
  const names = Array.from({ length: NODES[store] }, (_, at) => `node${at + 1}`);
  for (const name of names) mkdirSync(join(folder, name, 'data'), { recursive: true, mode: 0o700 });
  const disk = database ? undefined : mountDisk(join(folder, names[0] as string, 'data'), DISK_MB);
  // After the disk, which then is not there any more.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const wires = database ? await Promise.all(names.map(() => openWire(database.url))) : [];
  const root = randomBytes(32).toString('hex');
  const nodes: Node[] = [];
  for (const [at, name] of names.entries()) {
    const more = `${wires[at] ? `[store]\nurl = "${wires[at].url}"\nroot_key = "${root}"\n` : ''}${at === 0 ? hsm.config : ''}`;
    nodes.push(await makeNode(join(folder, name), name, more, authority, clock.env));
  }
  const end = async () => {
    for (const wire of wires) wire.heal();
    await Promise.all(nodes.map((node) => node.stop()));
    for (const wire of wires) await wire.close();
    await database?.postgres.stop();
    hsm.end();
    disk?.end();
    rmSync(folder, { recursive: true, force: true });
  };
  return { nodes, wires, database, disk, hsm, clock, authority, end };
}

async function makeNode(folder: string, name: string, more: string, authority: Made, env: NodeJS.ProcessEnv): Promise<Node> {
  const own = await makeCertificate('CN=server', { issuer: authority, usage: SERVER_AUTH, names: ['127.0.0.1'] });
  const files = { 'cert.pem': own.cert, 'key.pem': own.key, 'ca.pem': authority.cert };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text, { mode: 0o600 });
  const ports = { https: await freePort(), kmip: await freePort() };
  return new Node({ name, folder, ports, config: `${configOf(ports)}${more}`, ca: authority.cert, env: { ...ENV, ...env } });
}
