// One gatehouse in a process of its own, on ports that stay the same: started, killed, stopped for a while, and started again.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import { nodeFlags } from '../bin/node-flags.mjs';
import { until } from '../test/runtime.ts';

export interface NodeOptions {
  readonly name: string;
  /** Holds its configuration, data, log and socket. */
  readonly folder: string;
  readonly ports: { readonly https: number; readonly kmip: number };
  readonly config: string;
  /** PEM of the authority of its certificate. */
  readonly ca: string;
  readonly env: NodeJS.ProcessEnv;
}

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const MORTAL = fileURLToPath(new URL('./mortal-threads.mjs', import.meta.url));
const START_MS = 120_000;
const LOOK_MS = 5_000;
/** Threads that do a job offer themselves within this time. */
const OFFERED_MS = 1_000;

export class Node {
  readonly name: string;
  readonly address: string;
  readonly kmipPort: number;
  readonly dataDir: string;
  readonly #options: NodeOptions;
  readonly #agent: Agent;
  #child: ChildProcess | undefined;
  /** It has started, and was not ended. */
  isServing = false;

  constructor(options: NodeOptions) {
    this.#options = options;
    this.name = options.name;
    this.address = `https://127.0.0.1:${options.ports.https}`;
    this.kmipPort = options.ports.kmip;
    this.dataDir = join(options.folder, 'data');
    this.#agent = new Agent({ connect: { ca: options.ca } });
    writeFileSync(join(options.folder, 'config.toml'), options.config);
  }

  get pid(): number {
    return this.#child?.pid as number;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get log(): string {
    const file = join(this.#options.folder, 'log');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  async start(): Promise<void> {
    const { folder, ports, env } = this.#options;
    const socket = join(folder, 'threads');
    rmSync(socket, { force: true });
    const args = [MAIN, '--config', join(folder, 'config.toml'), '--data-dir', this.dataDir, '--port', String(ports.https)];
    const flags = [...nodeFlags({ isServer: true }), '--import', MORTAL];
    const child = spawn(process.execPath, [...flags, ...args], { env: { ...process.env, ...env, SOAK_THREADS: socket }, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    this.isServing = false;
    process.on('exit', () => child.kill('SIGKILL'));
    let said = '';
    const take = (data: Buffer) => {
      if (!said.includes('is ready at')) said += data;
      appendFileSync(join(folder, 'log'), data);
    };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', take);
    await until(() => said.includes('is ready at') || !this.isRunning, `${this.name} is ready`, START_MS);
    if (!this.isRunning) throw new Error(`${this.name} did not start: ${said}`);
    this.isServing = true;
  }

  /** @param signal SIGSTOP and SIGCONT only pause it */
  async signal(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child as ChildProcess;
    const isEnd = signal !== 'SIGSTOP' && signal !== 'SIGCONT';
    if (!this.isRunning) return;
    const gone = isEnd ? once(child, 'exit') : undefined;
    if (isEnd) this.isServing = false;
    child.kill(signal);
    await gone;
  }

  async stop(): Promise<void> {
    await this.signal('SIGTERM');
    await this.#agent.destroy();
  }

  /** Has one thread with this job end. @returns its number; undefined if there is none */
  async killThread(job: string): Promise<string | undefined> {
    return (await this.#tell(job)) || undefined;
  }

  /** Whether the system still gives the process memory; undefined if it does not answer. */
  async hasMemory(): Promise<boolean | undefined> {
    const said = await this.#tell('memory', LOOK_MS);
    return said === '' ? undefined : said === 'taken';
  }

  /** @returns what the module beside the program answers; empty if it does not in time */
  async #tell(job: string, ms = OFFERED_MS): Promise<string> {
    const socket = connect(join(this.#options.folder, 'threads'));
    let died = '';
    socket.on('data', (data) => (died += data));
    socket.on('error', () => {});
    socket.write(job);
    await Promise.race([once(socket, 'end'), after(ms)]).catch(() => {});
    socket.destroy();
    return died.trim();
  }

  /** Status and text of /ready; 0 if there was no answer. */
  ready(): Promise<{ readonly status: number; readonly text: string }> {
    return this.#get('/ready').catch((error: Error) => ({ status: 0, text: error.message }));
  }

  /** The sum of all rows of a metric whose labels match. @throws if it does not answer */
  async metric(name: string, labels = /./): Promise<number> {
    const { text } = await this.#get('/metrics');
    const rows = text.split('\n').filter((line) => line.startsWith(name) && /^[ {]/.test(line.slice(name.length)) && labels.test(line));
    return rows.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  }

  /** The time that it writes into answers, seconds since the epoch. */
  async clock(): Promise<number> {
    return Date.parse(String((await this.#get('/health')).date)) / 1_000;
  }

  async #get(path: string) {
    const { statusCode, headers, body } = await request(`${this.address}${path}`, { dispatcher: this.#agent, signal: AbortSignal.timeout(LOOK_MS) });
    return { status: statusCode, date: headers['date'], text: await body.text() };
  }
}
