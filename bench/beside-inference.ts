// Times of sign-in and keys, idle and while clients keep a model at work, in turns.
import { performance } from 'node:perf_hooks';
import { get, type HttpRequest, post } from './load/http-request.ts';
import { json, memberOf } from './load/kmip-json.ts';
import type { BenchOptions } from './options.ts';
import { percentile, round } from './report/report.ts';
import type { Row } from './report/results-file.ts';
import { AES, encryptBy } from './server/key-server.ts';
import type { KmipConnection } from './server/kmip-listener.ts';
import type { ServerProcess } from './server/server-process.ts';

const TURNS_OF_SECONDS = 3;
const PROBE_MS = 5;
/** Below `login_rate_per_second` of the default configuration. */
const LOGIN_MS = 250;
const USER = { name: 'ada', password: 'a password of the bench' };

interface Probe {
  readonly what: string;
  /** Pause between two of them. */
  readonly everyMs: number;
  ask(): Promise<unknown>;
}

interface Times {
  readonly idle: number[];
  readonly busy: number[];
}

/** @param work of a client that keeps the model busy, until the given time of the monotonic clock @param clients how many of them */
export async function besideInference(
  server: ServerProcess,
  kmip: KmipConnection,
  { rounds, seconds }: BenchOptions,
  { work, clients }: { readonly work: (until: number) => Promise<void>; readonly clients: number },
): Promise<Row[]> {
  const groups = await probesOf(server, kmip);
  const times = new Map(groups.flat().map(({ what }): [string, Times] => [what, { idle: [], busy: [] }]));
  for (let turn = 0; turn < rounds; turn++)
    // A sign-in computes for long: the others would wait for it, idle and busy alike.
    for (const group of groups)
      for (const state of ['idle', 'busy'] as const) {
        const until = performance.now() + seconds * TURNS_OF_SECONDS * 1_000;
        const working = state === 'busy' ? Array.from({ length: clients }, () => work(until)) : [];
        await Promise.all([...working, ...group.map((one) => repeat(one, until, (times.get(one.what) as Times)[state]))]);
      }
  return [...times].flatMap(([what, { idle, busy }]) => rowsOf(what, idle, busy));
}

async function probesOf(server: ServerProcess, kmip: KmipConnection): Promise<readonly (readonly Probe[])[]> {
  const id = memberOf(await server.ask(json(server.cookie, AES)), 'UniqueIdentifier');
  const quick = (what: string, request: HttpRequest): Probe => ({ what, everyMs: PROBE_MS, ask: () => server.ask(request) });
  const login = await loginOf(server);
  return [
    [
      quick('/whoami', get('/whoami', { cookie: server.cookie })),
      quick('Encrypt', json(server.cookie, encryptBy(id))),
      { what: 'Encrypt, KMIP listener', everyMs: PROBE_MS, ask: await kmip.encrypt() },
    ],
    [{ what: '/login', everyMs: LOGIN_MS, ask: () => server.ask(login) }],
  ];
}

/** Of a user of their own: so many sessions would end that of the administrator. */
async function loginOf({ ask, cookie }: ServerProcess): Promise<HttpRequest> {
  const headers = { cookie, 'content-type': 'application/json' };
  const made = async (path: string, body: object) => ask(post(path, headers, JSON.stringify(body)));
  await made('/admins/realms', { id: 'team', auth_params: {} });
  await made('/realms/team/userpass', { username: USER.name, password_input: { plaintext: USER.password } });
  const authorization = `Basic ${Buffer.from(`${USER.name}:${USER.password}`).toString('base64')}`;
  return post('/login?realm=team', { authorization, 'content-type': 'application/json' }, '{}');
}

async function repeat({ ask, everyMs }: Probe, until: number, durations: number[]): Promise<void> {
  while (performance.now() < until) {
    const startedAt = performance.now();
    await ask();
    durations.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

function rowsOf(what: string, idle: readonly number[], busy: readonly number[]): Row[] {
  const [before, during] = [percentile(idle, 0.99), percentile(busy, 0.99)];
  return [
    { what: `${what} idle`, 'p50 ms': round(percentile(idle, 0.5), 2), 'p99 ms': round(before, 2) },
    { what: `${what} during inference`, 'p50 ms': round(percentile(busy, 0.5), 2), 'p99 ms': round(during, 2), 'of idle': round(during / before, 2) },
  ];
}
