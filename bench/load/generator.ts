// The load generator: wrk where it is installed, otherwise one of our own, which takes CPU time from the server.
import { percentile } from '../report/report.ts';
import { bytesOf } from './http-request.ts';
import { load } from './load.ts';
import { type Drive, type Driven, driveWrk, hasWrk } from './wrk.ts';

export const GENERATOR: string = hasWrk ? 'wrk' : 'load.ts (install wrk: it costs less)';

/** @param ca certificate of the server @throws Error if a request is answered with another status than 2xx */
export function drive(options: Drive & { readonly ca: string }): Promise<Driven> {
  return hasWrk ? driveWrk(options) : driveOwn(options);
}

export async function driveOwn({ address, ca, request, connections, seconds }: Drive & { readonly ca: string }): Promise<Driven> {
  const bytes = bytesOf(request, new URL(address).host);
  const { perSecond, times } = await load({ address, ca, connections, ms: seconds * 1_000, status: 200, next: () => bytes });
  return { requests: times.length, perSecond, p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) };
}
