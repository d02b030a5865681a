// Compares each anonymization method with an empty route of the same server, and measures how slow patterns affect other clients.
import { type LoadResult, load, requestText } from './load/load.ts';
import { median, percentile, report, round } from './report/report.ts';
import { startServerProcess } from './server/server-process.ts';

const CONNECTIONS = 32;
const ROUNDS = 2;
const RUN_MS = 700;
/** Number of clients that send slow patterns only, and the limit of the time that another client's empty request may then take. */
const ATTACKERS = 8;
const MOST_P99_MS = 50;

const BODIES: Readonly<Record<string, object>> = {
  hash: { data: 'a text that is not long', method: 'SHA2' },
  noise: { data: 40, data_type: 'float', method: 'Gaussian', mean: 0, std_dev: 1 },
  'word-mask': { data: 'a text that is not long', words: ['text', 'long'] },
  'word-tokenize': { data: 'a text that is not long', words: ['text', 'long'] },
  'word-pattern-mask': { data: 'call 0123-456', pattern: '\\d+', replace: '#' },
  'aggregate-number': { data: 1234.567, data_type: 'float', power_of_ten: -1 },
  'aggregate-date': { data: '2024-05-17T13:45:12+02:00', time_unit: 'Hour' },
  'scale-number': { data: 75, data_type: 'float', mean: 50, std_deviation: 15, scale: 10, translate: 100 },
};
const ARGON2 = { data: 'low entropy data', method: 'Argon2', salt: 'ZXhhbXBsZSBzYWx0' };
const SLOW = { data: 'a'.repeat(59_000), pattern: '(?:a?){300}'.repeat(60), replace: '' };

const server = await startServerProcess('', 4);
const post = (method: string, body: object, { cookie } = server) => requestText('POST', `/tokenize/${method}`, { cookie }, body);
const empty = requestText('GET', '/public/version');
const run = (text: string, connections = CONNECTIONS, status = 200, { address, ca } = server) =>
  load({ address, ca, connections, ms: RUN_MS, status, next: () => text });

const subjects: Readonly<Record<string, string>> = {
  'empty route': empty,
  '/whoami': requestText('GET', '/whoami', { cookie: server.cookie }),
  ...Object.fromEntries(Object.entries(BODIES).map(([method, body]) => [method, post(method, body)])),
  'hash, Argon2': post('hash', ARGON2),
};
const results = new Map<string, LoadResult[]>(Object.keys(subjects).map((name) => [name, []]));
// The subjects take turns, so that a slow period of the machine affects all of them.
for (let round = 0; round <= ROUNDS; round++) {
  for (const [name, text] of Object.entries(subjects)) {
    const result = await run(text);
    if (round > 0) results.get(name)?.push(result);
  }
}
await server.stop();
const target = await startServerProcess('', 4);
const calm = await run(empty, 1, 200, target);
const slow = post('word-pattern-mask', SLOW, target);
const [attacked, attack] = await Promise.all([run(empty, 1, 200, target), run(slow, ATTACKERS, 422, target)]);
await target.stop();

const row = (name: string, runs: readonly LoadResult[]) => {
  const perSecond = median(runs.map((each) => each.perSecond));
  const rate = median((results.get('empty route') ?? []).map((each) => each.perSecond));
  return {
    route: name,
    'requests/s': Math.round(perSecond),
    'of the empty route': round(perSecond / rate, 2),
    'p50 ms': round(median(runs.map(({ times }) => percentile(times, 0.5))), 2),
    'p99 ms': round(median(runs.map(({ times }) => percentile(times, 0.99))), 2),
  };
};
const rows = [
  ...[...results].map(([name, runs]) => row(name, runs)),
  row('empty route, one client', [calm]),
  row('empty route, one client, slow patterns', [attacked]),
  row('slow patterns', [attack]),
];
const p99 = round(percentile(attacked.times, 0.99), 2);
report('tokenize', rows, [{ limit: `p99 of the empty route while slow patterns are sent, at most ${MOST_P99_MS} ms`, value: p99, holds: p99 <= MOST_P99_MS }]);
