// A whole server in this process for a test, with a data folder of its own, and an HTTPS client that trusts its certificate.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { createClock, type LocalClock } from '../kernel/clock.ts';
import type { AnyPlugin } from '../kernel/plugin.ts';
import { boot, type Server } from '../kernel/start/boot.ts';
import type { GivenGrowth } from '../kernel/start/serving.ts';
import { BUILT_IN } from '../plugins/index.ts';
import { postgresDatabase } from './database.ts';

export interface TestServer extends Server {
  readonly clock: LocalClock;
  /** Log lines so far, parsed. */
  readonly lines: Record<string, unknown>[];
  readonly initialPassword: string;
  readonly ask: Ask;
  /** Stops the server and removes its data. */
  end(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly body: any;
  /** Value of the session cookie that the answer sets. */
  readonly cookie: string | undefined;
}

export interface AskOptions {
  readonly headers?: Record<string, string>;
  /** An object is sent as JSON; a string and bytes as they are. */
  readonly body?: unknown;
  readonly cookie?: string | undefined;
  /** `user:password` of Basic credentials. */
  readonly user?: string;
}

export type Ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD' | 'PATCH', path: string, options?: AskOptions) => Promise<Answer>;

export interface TestServerOptions {
  readonly plugins?: readonly AnyPlugin[];
  /** Text of config.toml. */
  readonly config?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly argv?: readonly string[];
  /** An existing data folder; the caller removes it. */
  readonly dataDir?: string;
  /** How busy the server is, and on how many cores; with GATEHOUSE_HTTP_THREADS 0 only. */
  readonly growth?: GivenGrowth;
}

/** How many fronts the servers of tests have. */
export const FRONTS = process.env['GATEHOUSE_TEST_FRONTS'] ?? '1';

/** Where the keys of servers of tests are used: `[keys] placement`, unless a test says it. */
const PLACEMENT = process.env['GATEHOUSE_TEST_PLACEMENT'] ?? 'beside';

/**
 * Every thread would compute known answers for a second or two after each start, and a run starts hundreds of servers.
 * The tests of self-tests and warm-ups have them.
 */
export const WITHOUT_SELF_TESTS = { GATEHOUSE_KEYS_SELF_TESTS: 'false' } as const;

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
}

export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const folder = temporaryFolder();
  const dataDir = options.dataDir ?? join(folder, 'data');
  writeFileSync(join(folder, 'config.toml'), options.config ?? '');
  const lines: Record<string, unknown>[] = [];
  const clock = createClock();
  const argv = [
    '--config',
    join(folder, 'config.toml'),
    '--data-dir',
    dataDir,
    ...(options.argv?.includes('--port') ? [] : ['--port', '0']),
    ...(options.argv ?? []),
  ];
  const logTo = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  try {
    // Tests sign in more often than people do; those of the limit set their own.
    const url = options.config?.includes('[store]') ? undefined : await postgresDatabase(dataDir);
    const env = Object.assign(options.env ?? {}, {
      GATEHOUSE_AUTH_LOGIN_RATE_PER_SECOND: '100000',
      GATEHOUSE_AUTH_LOGIN_RATE_BURST: '100000',
      GATEHOUSE_HTTP_THREADS: FRONTS,
      ...(/^\[keys\][^[]*^placement/ms.test(options.config ?? '') ? {} : { GATEHOUSE_KEYS_PLACEMENT: PLACEMENT }),
      ...WITHOUT_SELF_TESTS,
      ...(url === undefined ? {} : { GATEHOUSE_STORE_URL: url }),
      ...options.env,
    });
    const plugins = options.plugins ?? BUILT_IN;
    const given = options.growth && { growth: options.growth };
    const builtIn = plugins === BUILT_IN ? new URL('../plugins/index.ts', import.meta.url) : undefined;
    const server = await boot({ plugins, ...(builtIn && { builtIn }), version: '0.0.0-test', argv, env, clock, logTo, isCopying: true, ...given });
    const ca = readFileSync(join(dataDir, 'tls', 'cert.pem'), 'utf8');
    const agent = new Agent({ connect: { ca } });
    const end = async () => {
      await agent.close();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    };
    return { ...server, clock, lines, initialPassword: initialPassword(dataDir), ask: asker(server.address, agent), end };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function initialPassword(dataDir: string): string {
  try {
    return readFileSync(join(dataDir, 'initial-password'), 'utf8').trim();
  } catch {
    return '';
  }
}

/** @param signal ends its requests */
export function asker(address: string, agent: Agent, signal?: AbortSignal): Ask {
  return async (method, path, { headers = {}, body, cookie, user } = {}) => {
    const all = {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(cookie === undefined ? {} : { cookie: `_ea_=${cookie}` }),
      ...(user === undefined ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` }),
      ...headers,
    };
    const payload = body === undefined ? null : typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
    const answer = await request(`${address}${path}`, { method, headers: all, body: payload, dispatcher: agent, ...(signal && { signal }) });
    const text = await answer.body.text();
    const set = ([] as string[]).concat(answer.headers['set-cookie'] ?? []).find((value) => value.startsWith('_ea_='));
    return { status: answer.statusCode, headers: answer.headers, text, body: parse(text), cookie: set?.slice('_ea_='.length, set.indexOf(';')) };
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Completes the first login of the admin. @returns the session cookie */
export async function signInAdmin(server: TestServer, newPassword = 'a new password'): Promise<string> {
  const answer = await server.ask('POST', '/login?realm=_', { user: `admin:${server.initialPassword}`, body: { new_password: newPassword } });
  if (answer.status !== 200 || answer.cookie === undefined) throw new Error(`the admin could not sign in: ${answer.text}`);
  return answer.cookie;
}
