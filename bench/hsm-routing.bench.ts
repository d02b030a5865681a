// What routing to HSMs costs: operations on keys of one and of many instances, beside a bare PKCS#11 loop on the same token and the empty route.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { faultLibrary } from '../test/fakes/pkcs11-fault/build.ts';
import type { Chart } from './chart.ts';
import { drive } from './generator.ts';
import { bareLoop, type HsmServer, makeTokens, startHsmServer } from './hsm-server.ts';
import { bytesOf, type HttpRequest } from './http-request.ts';
import { EMPTY_GET } from './key-server.ts';
import { load } from './load.ts';
import { type HsmOperation, parseOptions } from './options.ts';
import { cpuMsOf } from './process-cost.ts';
import { median, percentile, progress, report, round } from './report.ts';
import type { Row } from './results-file.ts';

const options = parseOptions(process.argv.slice(2));
const { library, seconds, rounds, operations, fault } = options;
const connections = options.connections.at(-1) as number;

interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
}

/** All requests at the same time, each with its part of the connections. */
async function measure({ server }: HsmServer, operation: HsmOperation | 'empty', requests: readonly (() => HttpRequest)[]): Promise<Measured> {
  const before = cpuMsOf(server.pid);
  const each = Math.max(1, Math.floor(connections / requests.length));
  const all = await Promise.all(
    requests.map(async (next) => {
      if (operation !== 'create') return drive({ address: server.address, ca: server.ca, request: next(), connections: each, seconds });
      const bytes = () => bytesOf(next(), new URL(server.address).host);
      const { perSecond, times } = await load({ address: server.address, ca: server.ca, connections: each, ms: seconds * 1_000, status: 200, next: bytes });
      return { requests: times.length, perSecond, p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) };
    }),
  );
  const count = all.reduce((sum, { requests: own }) => sum + own, 0);
  return {
    perSecond: all.reduce((sum, { perSecond }) => sum + perSecond, 0),
    p50Ms: median(all.map(({ p50Ms }) => p50Ms)),
    p99Ms: Math.max(...all.map(({ p99Ms }) => p99Ms)),
    cpuUs: ((cpuMsOf(server.pid) - before) * 1_000) / count,
  };
}

const mediansOf = (runs: readonly Measured[]): Measured => {
  const of = (field: keyof Measured) => median(runs.map((run) => run[field]));
  return { perSecond: of('perSecond'), p50Ms: of('p50Ms'), p99Ms: of('p99Ms'), cpuUs: of('cpuUs') };
};

function rowOf(what: string, { perSecond, p50Ms, p99Ms, cpuUs }: Measured, bare?: number, empty?: number): Row {
  return {
    ...{ what, connections, 'requests/s': Math.round(perSecond), 'CPU us': Math.round(cpuUs), 'p50 ms': round(p50Ms, 2), 'p99 ms': round(p99Ms, 2) },
    ...(bare !== undefined && { 'of the bare loop': round(perSecond / bare, 2) }),
    ...(empty !== undefined && { 'of the empty route': round(perSecond / empty, 2) }),
  };
}

/** Bare loop, empty route and the server in turns, with so many instances: all of them busy, and only the first. */
async function compare(count: number): Promise<Row[]> {
  const tokens = makeTokens(count);
  const hsm = await startHsmServer(library, tokens.slots);
  const rows: Row[] = [];
  for (const operation of operations) {
    const requests = await hsm.requests(operation);
    const bare: number[] = [];
    const bareOnAll: number[] = [];
    const runs: Record<'all' | 'first' | 'empty', Measured[]> = { all: [], first: [], empty: [] };
    for (let turn = 0; turn < rounds; turn++) {
      bare.push(await bareLoop(library, tokens.slots[0] as number, operation, seconds, 1));
      if (count === 1) bareOnAll.push(await bareLoop(library, tokens.slots[0] as number, operation, seconds, availableParallelism()));
      runs.empty.push(await measure(hsm, 'empty', [() => EMPTY_GET]));
      runs.first.push(await measure(hsm, operation, requests.slice(0, 1)));
      if (count > 1) runs.all.push(await measure(hsm, operation, requests));
    }
    const empty = mediansOf(runs.empty);
    if (count === 1) {
      rows.push({ what: `${operation}, bare loop`, connections: 1, 'requests/s': Math.round(median(bare)) });
      rows.push({ what: `${operation}, bare loop on all cores`, connections: 1, 'requests/s': Math.round(median(bareOnAll)) });
      rows.push(rowOf(`${operation}, empty route`, empty));
    }
    rows.push(rowOf(`${operation}, 1 of ${count} instances`, mediansOf(runs.first), median(bare), empty.perSecond));
    if (count > 1) rows.push(rowOf(`${operation}, all of ${count} instances`, mediansOf(runs.all), median(bare), empty.perSecond));
    progress(`${operation} with ${count} instances`);
  }
  await hsm.server.stop();
  tokens.end();
  return rows;
}

const SLICES = 12;
/** The slices in which the fault is there. */
const FAULTY = { from: 3, to: 7 };

/** Requests per second of each instance over time; the fault befalls the first. */
async function chaos(kind: NonNullable<typeof fault>): Promise<Row[]> {
  const count = Math.max(2, ...options.instances.filter((each) => each <= 4));
  const tokens = makeTokens(count);
  const faulty = faultLibrary(tokens.folder, 'faulty');
  const hsm = await startHsmServer(library, tokens.slots, `library = "${faulty.path}"\nisolation = "process"\ndeadline_seconds = 1\nprobe_seconds = 1\n`);
  const [operation = 'aes-gcm'] = operations;
  const requests = await hsm.requests(operation);
  const each = Math.max(1, Math.floor(connections / count));
  const { address, ca } = hsm.server;
  const rows: Row[] = [];
  for (let slice = 0; slice < SLICES; slice++) {
    faulty.tell(slice >= FAULTY.from && slice < FAULTY.to ? (kind === 'slow' ? 'slow 1000' : kind) : undefined);
    const [first, ...others] = requests as [() => HttpRequest, ...(() => HttpRequest)[]];
    const [own, ...rates] = await Promise.all([
      successes(hsm, first),
      ...others.map(async (next) => (await drive({ address, ca, request: next(), connections: each, seconds })).perSecond),
    ]);
    const named = [own as number, ...rates].map((rate, at) => [at === 0 ? 'faulty/s' : `instance ${at}/s`, Math.round(rate)]);
    rows.push({ what: `${kind}, ${operation}, after ${round((slice + 1) * seconds)} s`, ...Object.fromEntries(named) });
  }
  faulty.tell(undefined);
  await hsm.server.stop();
  tokens.end();
  return rows;
}

/** Answers of success per second of a client with one connection; what is under way at the end of the turn does not count. */
async function successes({ server }: HsmServer, next: () => HttpRequest): Promise<number> {
  let count = 0;
  let isOver = false;
  const worker = async () => {
    while (!isOver) {
      const isDone = await server.ask(next()).then(
        () => true,
        () => false,
      );
      if (isDone && !isOver) count += 1;
    }
  };
  void worker();
  await new Promise((end) => setTimeout(end, seconds * 1_000));
  isOver = true;
  return count / seconds;
}

function chartsOf(rows: readonly Row[]): Record<string, Chart> {
  const numbers = (of: readonly Row[], column: string) => of.map((row) => (typeof row[column] === 'number' ? row[column] : null));
  const names = (of: readonly Row[]) => of.map(({ what }) => String(what));
  const timed = rows.filter((row) => 'faulty/s' in row);
  const routed = rows.filter((row) => !('faulty/s' in row));
  const columns = [...new Set(timed.flatMap((row) => Object.keys(row).filter((key) => key.endsWith('/s'))))];
  const overTime = (kind: string): [string, Chart] => {
    const own = timed.filter(({ what }) => String(what).startsWith(kind));
    const series = Object.fromEntries(columns.map((column) => [column, numbers(own, column)]));
    return [`hsm-routing-${kind}`, { title: `hsm-routing: ${kind} befalls one instance`, unit: 'requests/s', kind: 'line', names: names(own), series }];
  };
  const rate: Chart = {
    title: 'hsm-routing: requests per second',
    unit: 'requests/s',
    kind: 'bar',
    names: names(routed),
    series: { 'requests/s': numbers(routed, 'requests/s') },
  };
  const kinds = [...new Set(timed.map(({ what }) => String(what).split(',')[0] as string))];
  return { ...(routed.length > 0 && { 'hsm-routing-rate': rate }), ...Object.fromEntries(kinds.map(overTime)) };
}

if (!existsSync(library)) {
  progress(`hsm-routing needs ${library}: install softhsm2, or name another library with --library`);
  process.exit();
}
const rows: Row[] = [];
if (fault) rows.push(...(await chaos(fault)));
else for (const count of options.instances) rows.push(...(await compare(count)));
report('hsm-routing', rows, [], chartsOf);
// An ended turn may still have a call under way.
process.exit();
