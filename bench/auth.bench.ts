// Compares /whoami, token lookups and role logins with an empty route of the same server.
import { request } from 'undici';
import { type LoadResult, load, requestText } from './load.ts';
import { median, percentile, report, round } from './report.ts';
import { startServerProcess } from './server-process.ts';

const CONNECTIONS = 64;
const ROUNDS = 5;
const RUN_MS = 2_000;
const LEAST_RATIO = 0.5;

const server = await startServerProcess('[auth]\nlogin_rate_per_second = 1000000\nlogin_rate_burst = 1000000\n', 4);
const { address, ca, cookie } = server;
const role = await makeRole();
const subjects: Readonly<Record<string, string>> = {
  'empty route': requestText('GET', '/public/version'),
  '/whoami': requestText('GET', '/whoami', { cookie }),
  'token lookup': requestText('GET', '/auth/token/lookup-self', { 'x-app-token': role.token }),
  'role login': requestText('POST', '/auth/approle/login', {}, role.credentials),
};
const results = new Map<string, LoadResult[]>(Object.keys(subjects).map((name) => [name, []]));
// The subjects take turns, so that a slow period of the machine affects all of them.
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
const limits = ['/whoami', 'token lookup'].map((name) => {
  const value = round(rate(name) / rate('empty route'), 2);
  return { limit: `${name} relative to the empty route, at least ${LEAST_RATIO}`, value, holds: value >= LEAST_RATIO };
});
report('auth', rows, limits);

/** Creates a role whose secret ID has no limit of uses, and a token of that role. */
async function makeRole(): Promise<{ credentials: unknown; token: string }> {
  const ask = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const headers = { cookie, 'content-type': 'application/json' };
    const answer = await request(`${address}${path}`, { method, headers, body: body === undefined ? null : JSON.stringify(body), dispatcher: server.agent });
    const text = await answer.body.text();
    return text === '' ? undefined : JSON.parse(text);
  };
  await ask('POST', '/auth/approle/role/bench', { token_ttl: 3_600 });
  const { role_id } = (await ask('GET', '/auth/approle/role/bench/role-id')).data;
  const { secret_id } = (await ask('POST', '/auth/approle/role/bench/secret-id', { ttl: 0, num_uses: 0 })).data;
  const credentials = { role_id, secret_id };
  return { credentials, token: (await ask('POST', '/auth/approle/login', credentials)).auth.client_token };
}
