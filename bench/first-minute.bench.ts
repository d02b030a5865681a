// The first minute after a start: the rate in each slice of it, and how much longer the first thousand requests take than the ten thousandth.
import { bytesOf, get, type HttpRequest } from './load/http-request.ts';
import { json, memberOf } from './load/kmip-json.ts';
import { load } from './load/load.ts';
import { measureInTurns } from './load/turns.ts';
import { parseOptions } from './options.ts';
import type { Chart } from './report/chart.ts';
import { limitsOf } from './report/limits.ts';
import { percentile, progress, report, round } from './report/report.ts';
import type { Row } from './report/results-file.ts';
import { AES, encryptBy, getBy, P256_PAIR, signBy, WITH_EMPTY } from './server/key-server.ts';
import { type ServerProcess, startServerProcess } from './server/server-process.ts';

const SLICES = 60;
const CONNECTIONS = 16;
const THOUSAND = 1_000;
/** The requests around the ten thousandth. */
const LAST = { from: 9_500, to: 10_500 } as const;
/** The server warms up in the meantime: its first requests are seldom in the first second. */
const PAUSE_MS = 5_000;

const options = parseOptions(process.argv.slice(2));
let server = await startServerProcess(WITH_EMPTY, 4);
const { cookie } = server;
const aesId = memberOf(await server.ask(json(cookie, AES)), 'UniqueIdentifier');
const p256Id = memberOf(await server.ask(json(cookie, P256_PAIR)), 'PrivateKeyUniqueIdentifier');
const requests: Readonly<Record<string, HttpRequest>> = {
  Encrypt: json(cookie, encryptBy(aesId)),
  Get: json(cookie, getBy(aesId)),
  'Sign P-256': json(cookie, signBy(p256Id)),
  '/whoami': get('/whoami', { cookie }),
};
// The client's own code is compiled before anything counts.
await timesOf(server, requests['/whoami'] as HttpRequest);
const rows: Row[] = [];
for (const pauseMs of [PAUSE_MS, 0]) for (const [what, request] of Object.entries(requests)) rows.push(await firstThousand(what, request, pauseMs));
server = await server.restart();
rows.push(...(await curve(server, requests['Encrypt'] as HttpRequest)));
await server.stop();
report('first-minute', rows, limitsOf(rows), chartsOf);

async function firstThousand(what: string, request: HttpRequest, pauseMs: number): Promise<Row> {
  server = await server.restart();
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
  const times = await timesOf(server, request);
  const mean = (part: readonly number[]) => part.reduce((sum, each) => sum + each, 0) / part.length;
  const [first, last] = [times.slice(0, THOUSAND), times.slice(LAST.from, LAST.to)];
  progress(`${what}, ${pauseMs / 1_000} s after the start`);
  return {
    what: `${what} ${pauseMs > 0 ? 'after the start' : 'without a pause'}`,
    ...{ 'first 1000, ms each': round(mean(first), 3), 'around the 10 000th': round(mean(last), 3), 'first of last': round(mean(first) / mean(last), 2) },
    ...{ 'p99 ms of the first': round(percentile(first, 0.99), 2), 'longest ms': round(Math.max(...first), 1) },
  };
}

/** Durations of requests one after the other on one connection, in order. */
async function timesOf({ address, ca }: ServerProcess, request: HttpRequest): Promise<readonly number[]> {
  const bytes = bytesOf(request, new URL(address).host);
  const { times } = await load({ address, ca, connections: 1, count: LAST.to, ms: Number.POSITIVE_INFINITY, status: 200, next: () => bytes });
  return times;
}

/** Begins as soon as the server is ready. */
async function curve(target: ServerProcess, request: HttpRequest): Promise<Row[]> {
  const found: Row[] = [];
  for (let slice = 1; slice <= SLICES; slice++) {
    const subject = { what: 'Encrypt', target, request };
    const figures = await measureInTurns([subject], { ...options, connections: [CONNECTIONS], rounds: 1 }, false);
    const { perSecond, cpuUs, p99Ms } = figures('Encrypt', CONNECTIONS) ?? { perSecond: Number.NaN, cpuUs: Number.NaN, p99Ms: Number.NaN };
    const second = round(slice * options.seconds);
    found.push({
      what: `Encrypt, second ${second}`,
      second,
      connections: CONNECTIONS,
      'requests/s': Math.round(perSecond),
      'CPU us': Math.round(cpuUs),
      'p99 ms': round(p99Ms, 2),
    });
  }
  return found;
}

function chartsOf(all: readonly Row[]): Record<string, Chart> {
  const slices = all.filter((row) => typeof row['second'] === 'number');
  const names = slices.map((row) => Number(row['second']));
  const column = (key: string) => slices.map((row) => Number(row[key]));
  const chart = (title: string, unit: string, key: string): Chart => ({ title, unit, kind: 'line', names, series: { [key]: column(key) } });
  return {
    'first-minute-rate': chart(`Encrypt at ${CONNECTIONS} connections after a start: requests per second`, 'requests/s', 'requests/s'),
    'first-minute-cpu': chart(`Encrypt at ${CONNECTIONS} connections after a start: CPU of the server for each request`, 'microseconds', 'CPU us'),
  };
}
