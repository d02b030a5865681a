// What a second node is worth, and what PostgreSQL costs: two nodes with a core and a client each beside one alone, and one on PostgreSQL beside one on SQLite.
import { randomBytes } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import { startPostgres } from '../test/postgres.ts';
import { pin } from './cost/cores.ts';
import { treeOf } from './cost/process-cost.ts';
import { get, type HttpRequest, post } from './load/http-request.ts';
import { json, memberOf } from './load/kmip-json.ts';
import { driveWrk, hasWrk } from './load/wrk.ts';
import { parseOptions } from './options.ts';
import { limitsOf } from './report/limits.ts';
import { median, progress, report, round } from './report/report.ts';
import type { Row } from './report/results-file.ts';
import { AES, encryptBy, getBy, WITH_EMPTY } from './server/key-server.ts';
import { type ServerProcess, startServerProcess } from './server/server-process.ts';

const CONNECTIONS = 32;
const [FIRST, SECOND, BOTH] = ['0', '1', '0-1'] as const;
const TRUST_MS = 30_000;
const OF_KEYS = ['Get', 'Encrypt', 'Create'] as const;

const options = parseOptions(process.argv.slice(2));
if (!hasWrk) throw new Error('the clients of the nodes have a core each, which needs wrk: apt-get install wrk');
// Durable: what PostgreSQL has answered is on the disk.
const postgres = await startPostgres({ isDurable: true });
process.on('exit', () => {
  for (const pid of postgres.pids()) end(pid);
});
const threads = '[http]\nthreads = 1\n';
const shared = `[store]\nurl = "${await postgres.database()}"\nroot_key = "${randomBytes(32).toString('hex')}"\n`;
const one = await startServerProcess(`${threads}${shared}${WITH_EMPTY}`, 4);
const requests = await requestsFor(one);
const creates = await alone();
const other = await startServerProcess(`${threads}${shared}${WITH_EMPTY}`, 4, { cookie: one.cookie });
const small = await startServerProcess(`${threads}${WITH_EMPTY}`, 4);
const onSqlite = await requestsFor(small);
await Promise.all([one, other].map(trusted));
for (const [{ pid }, core] of [
  [one, FIRST],
  [other, SECOND],
  [small, FIRST],
] as const)
  pin([pid], core);

const rows: Row[] = creates === undefined ? [] : [{ what: 'Create, PostgreSQL', connections: CONNECTIONS, 'requests/s': Math.round(creates) }];
for (const [what, request] of requests) rows.push(...(await rowsOf(what, request)));
for (const server of [small, other, one]) await server.stop();
await postgres.stop();
report('nodes', rows, limitsOf(rows));

/** @param core of the client */
async function rate({ address }: ServerProcess, request: HttpRequest, core: string): Promise<number> {
  return (await driveWrk({ address, request, connections: CONNECTIONS, seconds: options.seconds, cores: core })).perSecond;
}

/** Keys that the only node makes with all cores, durable before the answer. */
async function alone(): Promise<number | undefined> {
  const request = requests.get('Create');
  if (!request) return undefined;
  const rates: number[] = [];
  for (let turn = 0; turn <= options.rounds; turn++) rates.push(await rate(one, request, BOTH));
  return median(rates.slice(1));
}

/** In turns, so that a slow period of the machine affects all of them. */
async function rowsOf(what: string, request: HttpRequest): Promise<Row[]> {
  const turns: { readonly single: number; readonly pair: number; readonly small: number }[] = [];
  for (let turn = 0; turn <= options.rounds; turn++) {
    pin(treeOf(postgres.pid()), FIRST);
    const single = await rate(one, request, FIRST);
    const beside = await rate(small, onSqlite.get(what) as HttpRequest, FIRST);
    pin(treeOf(postgres.pid()), BOTH);
    const [a, b] = await Promise.all([rate(one, request, FIRST), rate(other, request, SECOND)]);
    turns.push({ single, pair: a + b, small: beside });
  }
  progress(what);
  // The first turn warms up.
  const of = (figure: (turn: (typeof turns)[0]) => number) => median(turns.slice(1).map(figure));
  const [single, pair, sqlite] = [of((turn) => turn.single), of((turn) => turn.pair), of((turn) => turn.small)];
  return [
    {
      what: `${what}, two nodes`,
      connections: CONNECTIONS,
      'requests/s': Math.round(pair),
      'one node/s': Math.round(single),
      'of one node': round(
        of((turn) => turn.pair / turn.single),
        2,
      ),
    },
    {
      what: `${what}, one node`,
      connections: CONNECTIONS,
      'requests/s': Math.round(single),
      'SQLite/s': Math.round(sqlite),
      'of SQLite': round(
        of((turn) => turn.single / turn.small),
        2,
      ),
    },
  ];
}

/** By what they do; those that the options ask for. */
async function requestsFor({ ask, cookie }: ServerProcess): Promise<ReadonlyMap<string, HttpRequest>> {
  const headers = { cookie, 'content-type': 'application/json' };
  await ask(post('/auth/approle/role/nodes', headers, JSON.stringify({ bind_secret_id: false, token_ttl: 3_600 })));
  const { data } = JSON.parse(await ask(get('/auth/approle/role/nodes/role-id', { cookie })));
  const given = JSON.parse(await ask(post('/auth/approle/login', { 'content-type': 'application/json' }, JSON.stringify(data))));
  const key = memberOf(await ask(json(cookie, AES)), 'UniqueIdentifier');
  const [read, encrypt, create] = [getBy(key), encryptBy(key), AES].map((item) => json(cookie, item)) as [HttpRequest, HttpRequest, HttpRequest];
  const all: readonly (readonly [string, HttpRequest])[] = [
    ['/whoami', get('/whoami', { cookie })],
    ['token lookup', get('/auth/token/lookup-self', { 'x-app-token': given.auth.client_token })],
    ...OF_KEYS.map((what, at) => [what, [read, encrypt, create][at] as HttpRequest] as const),
  ];
  return new Map(all.filter(([what]) => options.only === undefined || what.toLowerCase().includes(options.only.toLowerCase())));
}

/** Until a node uses what it has cached. */
async function trusted({ ask }: ServerProcess): Promise<void> {
  for (const until = performance.now() + TRUST_MS; performance.now() < until; await after(250))
    if (/^gatehouse_cache_trusted 1$/m.test(await ask(get('/metrics')))) return;
  throw new Error('a node does not trust its caches');
}

/** If the question fails, its PostgreSQL must not keep running. */
function end(pid: number): void {
  try {
    process.kill(pid, 'SIGQUIT');
  } catch {
    // It has ended.
  }
}
