// A server with HSM instances on tokens of SoftHSM for the questions, a key for the operation on each, and the bare loop on the same token.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { HttpRequest } from '../load/http-request.ts';
import { DATA, e, type Item, json, memberOf, n, s, t } from '../load/kmip-json.ts';
import type { HsmOperation } from '../options.ts';
import { AES, encryptBy, WITH_EMPTY } from './key-server.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

const PIN = '12345678';
const LOOP = fileURLToPath(new URL('../fakes/pkcs11-loop.cjs', import.meta.url));
const STARTED_MS = 20_000;

export interface Tokens {
  readonly folder: string;
  readonly slots: readonly number[];
  end(): void;
}

/** Sets SOFTHSM2_CONF, which the servers and loops inherit. */
export function makeTokens(count: number): Tokens {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-hsm-'));
  mkdirSync(join(folder, 'tokens'));
  process.env['SOFTHSM2_CONF'] = join(folder, 'softhsm2.conf');
  writeFileSync(process.env['SOFTHSM2_CONF'], `directories.tokendir = ${join(folder, 'tokens')}\nobjectstore.backend = file\nlog.level = ERROR\n`);
  const slots = Array.from({ length: count }, (_, at) => {
    const said = execFileSync('softhsm2-util', ['--init-token', '--free', '--label', `bench ${at}`, '--so-pin', '12345678', '--pin', PIN], {
      encoding: 'utf8',
    });
    return Number(/reassigned to slot (\d+)/.exec(said)?.[1]);
  });
  return { folder, slots, end: () => rmSync(folder, { recursive: true, force: true }) };
}

export interface BareLoop {
  /** Of all threads together. */
  readonly perSecond: number;
  /** Of one operation. */
  readonly cpuUs: number;
}

export type BareOperation = HsmOperation | 'aes-gcm in software';

/** @param threads each a process */
export async function bareLoop(library: string, slot: number, operation: BareOperation, seconds: number, threads = 1): Promise<BareLoop> {
  const args = ['--disable-warning=ExperimentalWarning', LOOP, library, String(slot), PIN, operation, String(seconds * 1_000)];
  const said = await Promise.all(Array.from({ length: threads }, () => promisify(execFile)(process.execPath, args)));
  const loops = said.map(({ stdout }) => JSON.parse(stdout) as BareLoop);
  const sum = (field: keyof BareLoop) => loops.reduce((all, each) => all + each[field], 0);
  return { perSecond: sum('perSecond'), cpuUs: sum('cpuUs') / threads };
}

export interface HsmServer {
  readonly server: ServerProcess;
  /** What makes a request that uses a key of each instance; keys that are made have a name of their own each time. */
  requests(operation: HsmOperation): Promise<readonly (() => HttpRequest)[]>;
  /** Encrypts with a key of the database. */
  software(): Promise<() => HttpRequest>;
}

/** @param names begin of the names of keys: two servers may use one token @param more lines of the configuration of the first instance */
export async function startHsmServer(library: string, slots: readonly number[], names: string, more = ''): Promise<HsmServer> {
  const table = (slot: number, at: number) =>
    `[[hsm_instances]]\nhsm_model = "soft_hsm"\nhsm_admin = ["*"]\nhsm_slot = [${slot}]\nhsm_password = ["${PIN}"]\n${at === 0 && more !== '' ? more : `library = "${library}"\n`}`;
  const server = await startServerProcess(`${WITH_EMPTY}${slots.map(table).join('')}`, 4);
  return {
    server,
    requests: async (operation) =>
      Promise.all(slots.map((slot, at) => requestOf(server, `hsm::soft_hsm${at === 0 ? '' : `_${at}`}::${slot}::${names}-${operation}`, operation))),
    software: async () => {
      const request = json(server.cookie, encryptBy(memberOf(await server.ask(json(server.cookie, AES)), 'UniqueIdentifier')));
      return () => request;
    },
  };
}

async function requestOf(server: ServerProcess, id: string, operation: HsmOperation): Promise<() => HttpRequest> {
  const make = (item: Item) => patient(() => server.ask(json(server.cookie, item)));
  const uses = n('CryptographicUsageMask', 0xf);
  const aes = [e('CryptographicAlgorithm', 'AES'), n('CryptographicLength', 256), uses];
  const create = (name: string): Item => ['Create', [e('ObjectType', 'SymmetricKey'), s('Attributes', ...aes, t('UniqueIdentifier', name))]];
  const data = { tag: 'Data', type: 'ByteString', value: DATA };
  if (operation === 'aes-gcm') {
    await make(create(id));
    const encrypt = json(server.cookie, ['Encrypt', [t('UniqueIdentifier', id), s('CryptographicParameters', e('BlockCipherMode', 'GCM')), data]]);
    return () => encrypt;
  }
  if (operation === 'create') {
    let made = 0;
    return () => json(server.cookie, create(`${id}-${made++}`));
  }
  const shape =
    operation === 'rsa-sign'
      ? [e('CryptographicAlgorithm', 'RSA'), n('CryptographicLength', 2048)]
      : [e('CryptographicAlgorithm', 'EC'), s('CryptographicDomainParameters', e('RecommendedCurve', 'P_256'))];
  await make(['CreateKeyPair', [s('CommonAttributes', ...shape, uses), s('PrivateKeyAttributes', t('UniqueIdentifier', id))]]);
  const sign = json(server.cookie, ['Sign', [t('UniqueIdentifier', id), data]]);
  return () => sign;
}

/** Instances start in the background. */
async function patient<T>(work: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + STARTED_MS; ; ) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > until) throw error;
      await new Promise((again) => setTimeout(again, 200));
    }
  }
}
