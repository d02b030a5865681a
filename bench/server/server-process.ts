// Starts a server in a separate process for a question, as `npm start` does, signs in once, and stops it at the end.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import { nodeFlags } from '../../bin/node-flags.mjs';
import type { HttpRequest } from '../load/http-request.ts';

const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/gatehouse', import.meta.url));
export const PASSWORD = 'a password for the benchmark';

export interface ServerProcess {
  readonly address: string;
  /** Certificate of the server, for clients to trust. */
  readonly ca: string;
  /** The private key of the certificate. */
  readonly tlsKey: string;
  readonly agent: Agent;
  /** Cookie header of a session of the administrator. */
  readonly cookie: string;
  readonly pid: number;
  readonly dataDir: string;
  /** @returns the text of the answer @throws Error for another status than 200, 201 and 204 */
  ask(request: HttpRequest): Promise<string>;
  /** Stops it and starts it again with the same data: nothing is sent to the new one, whose session is the old one. */
  restart(): Promise<ServerProcess>;
  stop(): Promise<void>;
}

export interface KeptServer {
  /** A folder that a later run starts with again. */
  readonly kept?: string | undefined;
  /** Of a session that another node over the same store has given. */
  readonly cookie?: string | undefined;
  /** A module that each thread of the server loads first. */
  readonly preload?: string | undefined;
}

/** @param config text of config.toml @param connections limit of the client's connections */
export async function startServerProcess(config: string, connections: number, { kept, cookie, preload }: KeptServer = {}): Promise<ServerProcess> {
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.toml'), config);
  const launched = await launch(folder, preload);
  const { agent, tls } = clientOf(folder, connections);
  const known = cookie ?? (await firstCookie(folder, launched.address, agent));
  const server = serverOf(folder, launched, { agent, ...tls, cookie: known, connections, isKept: kept !== undefined, preload });
  await warm(server);
  return server;
}

async function firstCookie(folder: string, address: string, agent: Agent): Promise<string> {
  const initial = join(folder, 'data', 'initial-password');
  const first = existsSync(initial) ? readFileSync(initial, 'utf8').trim() : undefined;
  const answer = first === undefined ? await login(address, agent, PASSWORD) : await login(address, agent, first, PASSWORD);
  if (answer.status !== 200) throw new Error('the benchmark could not sign in');
  return answer.cookie;
}

const WARM_MS = 60_000;

/** Self-tests and warm-up run in the first seconds, and would count as cost of the first requests. */
async function warm({ ask }: ServerProcess): Promise<void> {
  for (const until = performance.now() + WARM_MS; performance.now() < until; ) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    const lines = (await ask({ method: 'GET', path: '/metrics', headers: {} })).match(/^gatehouse_self_test_warm\{.*$/gm) ?? [];
    if (lines.some((line) => line.includes('actor="kmip"')) && lines.every((line) => line.endsWith(' 1'))) return;
  }
}

interface Launched {
  readonly child: ChildProcess;
  readonly address: string;
}

async function launch(folder: string, preload?: string): Promise<Launched> {
  const main = fileURLToPath(new URL('../../main.ts', import.meta.url));
  // As the launcher sets them: a start with compiled code takes less CPU time and memory.
  const env = { NODE_COMPILE_CACHE: COMPILED, ...process.env, UV_THREADPOOL_SIZE: String(availableParallelism() + 4) };
  const args = [main, '--config', join(folder, 'config.toml'), '--data-dir', join(folder, 'data'), '--port', '0'];
  const flags = [...nodeFlags({ isServer: true }), ...(preload === undefined ? [] : ['--import', preload])];
  const child = spawn(process.execPath, [...flags, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // If the benchmark fails, its server must not keep running.
  const end = () => void child.kill();
  process.on('exit', end);
  child.on('exit', () => process.off('exit', end));
  const address = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (data) => {
      text += data;
      const found = /is ready at (https:\S+)/.exec(text)?.[1];
      if (found) resolve(found);
    });
    child.on('exit', (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
  });
  return { child, address };
}

function clientOf(folder: string, connections: number) {
  const ca = readFileSync(join(folder, 'data', 'tls', 'cert.pem'), 'utf8');
  const tlsKey = readFileSync(join(folder, 'data', 'tls', 'key.pem'), 'utf8');
  return { agent: new Agent({ connections, connect: { ca } }), tls: { ca, tlsKey } };
}

interface Client extends Pick<ServerProcess, 'ca' | 'tlsKey' | 'agent' | 'cookie'> {
  readonly connections: number;
  readonly isKept: boolean;
  readonly preload: string | undefined;
}

function serverOf(folder: string, { child, address }: Launched, { connections, isKept, preload, ...client }: Client): ServerProcess {
  const { agent } = client;
  const end = async () => {
    await agent.destroy();
    child.kill('SIGTERM');
    await new Promise((resolve) => child.on('exit', resolve));
  };
  return {
    ...{ ...client, address, pid: child.pid as number, dataDir: join(folder, 'data') },
    async ask({ method, path, headers, body }) {
      const { statusCode, body: answer } = await request(`${address}${path}`, { method, headers, body: body ?? null, dispatcher: agent });
      const text = await answer.text();
      if (![200, 201, 204].includes(statusCode)) throw new Error(`${path} answered ${statusCode}: ${text}`);
      return text;
    },
    async restart() {
      await end();
      return serverOf(folder, await launch(folder, preload), { ...client, connections, isKept, preload, agent: clientOf(folder, connections).agent });
    },
    async stop() {
      await end();
      if (!isKept) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function login(address: string, agent: Agent, password: string, newPassword?: string): Promise<{ status: number; cookie: string }> {
  const { statusCode, headers, body } = await request(`${address}/login?realm=_`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`, 'content-type': 'application/json' },
    body: JSON.stringify(newPassword === undefined ? {} : { new_password: newPassword }),
    dispatcher: agent,
  });
  await body.dump();
  return { status: statusCode, cookie: String(headers['set-cookie']).split(';')[0] as string };
}
