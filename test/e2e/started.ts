// A server in a process of its own, started by the launcher as a user starts it.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agent } from 'undici';
import { until } from '../runtime.ts';
import { type Ask, asker, WITHOUT_SELF_TESTS } from '../server.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Started {
  readonly child: ChildProcess;
  readonly address: string;
  readonly ask: Ask;
  readonly output: { text: string };
}

export function launch(dataDir: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const port = args.includes('--port') ? [] : ['--port', '0'];
  const child = spawn(process.execPath, ['launch.mjs', 'start', '--data-dir', dataDir, ...port, ...args], {
    cwd: root,
    env: { ...process.env, ...WITHOUT_SELF_TESTS, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output.text += data));
  return { child, output };
}

export async function start(dataDir: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Started> {
  const { child, output } = launch(dataDir, args, env);
  const address = await addressOf(child, output);
  const ca = readFileSync(join(dataDir, 'tls', 'cert.pem'), 'utf8');
  return { child, address, ask: asker(address, new Agent({ connect: { ca } })), output };
}

/** @returns the address that the server tells when it is ready @param ms until then at most */
export async function addressOf(child: ChildProcess, output: { readonly text: string }, ms = 120_000): Promise<string> {
  await until(() => /is ready at/.test(output.text) || child.exitCode !== null, 'the server is ready', ms);
  const address = /is ready at (https:\S+)/.exec(output.text)?.[1];
  assert.ok(address, output.text);
  return address;
}

export async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

/** Variables with which the launcher stays beside its server, as it does where the system or an older Node cannot replace a process. */
export const STAYING: NodeJS.ProcessEnv = { NODE_OPTIONS: '--import=data:text/javascript,delete%20process.execve' };

/** The pid of the server: the launcher itself, which has become the server, or the process below one that stays. */
export function serverPid({ child }: Pick<Started, 'child'>): number {
  if (readFileSync(`/proc/${child.pid}/cmdline`, 'utf8').includes('main.ts')) return child.pid as number;
  return Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ')[0]);
}

/** Rows of a database file by the package sqlite3, which shares no code with node:sqlite but the file format. */
export function rowsOf<T extends object>(path: string, sql: string): Promise<T[]> {
  const { Database, OPEN_READWRITE } = createRequire(import.meta.url)('sqlite3') as typeof import('sqlite3');
  return new Promise((resolve, reject) => {
    const db = new Database(path, OPEN_READWRITE);
    db.all(sql, (error: Error | null, rows: T[]) => db.close(() => (error ? reject(error) : resolve(rows))));
  });
}

export async function integrity(path: string): Promise<string | undefined> {
  return (await rowsOf<{ integrity_check: string }>(path, 'PRAGMA integrity_check'))[0]?.integrity_check;
}
