// What a server with HSM instances does under load: requests per second, times and CPU, as medians of several turns.
import { cpuMsOf } from '../cost/process-cost.ts';
import { drive } from '../load/generator.ts';
import { bytesOf, type HttpRequest } from '../load/http-request.ts';
import { load } from '../load/load.ts';
import { median, percentile, round } from '../report/report.ts';
import type { Row } from '../report/results-file.ts';
import type { HsmServer } from './hsm-server.ts';

/** Until code that a request runs through is compiled, which costs as much as the requests. */
export const WARM_SECONDS = 20;

export interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
}

export interface Load {
  /** Makes each request; what is made anew each time needs the slower generator. */
  readonly requests: readonly (() => HttpRequest)[];
  readonly isNewEachTime?: boolean;
  readonly connections: number;
  readonly seconds: number;
}

/** All requests at the same time, each with its part of the connections. */
export async function measure({ server }: HsmServer, { requests, isNewEachTime = false, connections, seconds }: Load): Promise<Measured> {
  const before = cpuMsOf(server.pid);
  const each = Math.max(1, Math.floor(connections / requests.length));
  const { address, ca } = server;
  const all = await Promise.all(
    requests.map(async (next) => {
      if (!isNewEachTime) return drive({ address, ca, request: next(), connections: each, seconds });
      const bytes = () => bytesOf(next(), new URL(address).host);
      const { perSecond, times } = await load({ address, ca, connections: each, ms: seconds * 1_000, status: 200, next: bytes });
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

export function mediansOf(runs: readonly Measured[]): Measured {
  const of = (field: keyof Measured) => median(runs.map((run) => run[field]));
  return { perSecond: of('perSecond'), p50Ms: of('p50Ms'), p99Ms: of('p99Ms'), cpuUs: of('cpuUs') };
}

/** The median of what each turn has, compared with the same turn of others: load that comes and goes then befalls both. */
export function ratioOf(runs: readonly Measured[], others: readonly { readonly perSecond: number }[]): number {
  return round(median(runs.map(({ perSecond }, turn) => perSecond / (others[turn]?.perSecond ?? Number.NaN))), 2);
}

export function rowOf(what: string, connections: number, { perSecond, p50Ms, p99Ms, cpuUs }: Measured): Row {
  return { what, connections, 'requests/s': Math.round(perSecond), 'CPU us': Math.round(cpuUs), 'p50 ms': round(p50Ms, 2), 'p99 ms': round(p99Ms, 2) };
}
