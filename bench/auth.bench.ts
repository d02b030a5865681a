// What the authentication service adds to an empty route of the same front: /whoami, token lookups, role logins.
import { type LoadResult, load, requestText } from './load.ts';
import { median, percentile, report, round } from './report.ts';
import { startServerProcess } from './server-process.ts';

const CONNECTIONS = 64;
const ROUNDS = 5;
const RUN_MS = 2_000;
const LEAST_RATIO = 0.5;

const server = await startServerProcess('[auth]\nlogin_rate_per_second = 1000000\nlogin_rate_burst = 1000000\n', 4);
const { address, ca, cookie } = server;
const subjects: Readonly<Record<string, string>> = {
  'empty route': requestText('GET', '/public/version'),
  '/whoami': requestText('GET', '/whoami', { cookie }),
};
const results = new Map<string, LoadResult[]>(Object.keys(subjects).map((name) => [name, []]));
// The subjects take turns, so that a slow moment of the machine meets them all.
for (let run = 0; run <= ROUNDS; run++) {
  for (const [name, text] of Object.entries(subjects)) {
    const result = await load({ address, ca, connections: CONNECTIONS, ms: RUN_MS, status: 200, next: () => text });
    if (run > 0) results.get(name)?.push(result);
  }
}
await server.stop();

const rate = (name: string) => median((results.get(name) ?? []).map(({ perSecond }) => perSecond));
const rows = [...results].map(([name, runs]) => ({
  route: name,
  'requests/s': Math.round(rate(name)),
  'of the empty route': round(rate(name) / rate('empty route'), 2),
  'p50 ms': round(median(runs.map(({ times }) => percentile(times, 0.5))), 2),
  'p99 ms': round(median(runs.map(({ times }) => percentile(times, 0.99))), 2),
}));
const limits = ['/whoami'].map((name) => {
  const value = round(rate(name) / rate('empty route'), 2);
  return { limit: `${name} as a part of the empty route, at least ${LEAST_RATIO}`, value, holds: value >= LEAST_RATIO };
});
report('auth', rows, limits);
