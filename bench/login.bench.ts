// Compares logins per second with the bare password hash, and measures /whoami and /health while logins saturate the machine.
import { request } from 'undici';
import { bareRate } from './bare/bare-loop.ts';
import { cpuMsOf } from './cost/process-cost.ts';
import { parseOptions } from './options.ts';
import { limitsOf } from './report/limits.ts';
import { median, percentile, progress, report, round } from './report/report.ts';
import type { Row } from './report/results-file.ts';
import { WITH_EMPTY } from './server/key-server.ts';
import { login, PASSWORD, startServerProcess } from './server/server-process.ts';

const CONNECTIONS = 16;
/** A login takes tens of milliseconds on all cores, so a turn needs more time than those of other questions. */
const TURNS_OF_SECONDS = 4;
const BARE_SECONDS = 2;
/** Pause between two probes of the same kind. Each kind has its own connections. */
const PROBE_MS = 10;

const options = parseOptions(process.argv.slice(2));
const server = await startServerProcess(WITH_EMPTY, CONNECTIONS + 8);
const rounds: Awaited<ReturnType<typeof measure>>[] = [];
for (let turn = 1; turn <= options.rounds; turn++) {
  rounds.push(await measure(options.seconds * TURNS_OF_SECONDS * 1_000));
  progress(`round ${turn} of ${options.rounds}`);
}
await server.stop();

const of = (field: 'perSecond' | 'limit' | 'cpuUs') => median(rounds.map((each) => each[field]));
const times = (field: 'whoami' | 'health') => ({
  'p50 ms': round(median(rounds.map((each) => percentile(each[field], 0.5)))),
  'p99 ms': round(median(rounds.map((each) => percentile(each[field], 0.99)))),
});
const rows: Row[] = [
  {
    ...{ what: 'login', connections: CONNECTIONS, 'requests/s': round(of('perSecond')), 'CPU us': Math.round(of('cpuUs')) },
    ...{ limit: 'hashes alone', 'limit/s': round(of('limit')), 'of its limit': round(median(rounds.map(({ perSecond, limit }) => perSecond / limit)), 2) },
  },
  { what: '/whoami during logins', connections: 1, ...times('whoami') },
  { what: '/health during logins', connections: 1, ...times('health') },
];
report('login', rows, limitsOf(rows));

/**
 * Measures the bare hash right before the logins, in the same state of the machine and on as many threads, which share its memory bandwidth. A turn
 * lasts until the last login is answered, and counts all: in its seconds alone, those under way at the end would have cost CPU and not count.
 */
async function measure(ms: number) {
  const limit = await bareRate('Argon2id hash', BARE_SECONDS);
  const startedAt = performance.now();
  const cpuBefore = cpuMsOf(server.pid);
  let logins = 0;
  const loginLoop = async () => {
    while (performance.now() < startedAt + ms) {
      const { status } = await login(server.address, server.agent, PASSWORD);
      if (status !== 200) throw new Error(`a login answered ${status}`);
      logins += 1;
    }
  };
  let isOver = false;
  const probe = async (path: string) => {
    const durations: number[] = [];
    while (!isOver) {
      const askedAt = performance.now();
      const { body } = await request(`${server.address}${path}`, { headers: { cookie: server.cookie }, dispatcher: server.agent });
      await body.dump();
      durations.push(performance.now() - askedAt);
      await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
    }
    return durations;
  };
  const probes = Promise.all([probe('/whoami'), probe('/health')]);
  await Promise.all(Array.from({ length: CONNECTIONS }, loginLoop));
  isOver = true;
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpuUs = ((cpuMsOf(server.pid) - cpuBefore) * 1_000) / logins;
  const [whoami, health] = await probes;
  return { limit, perSecond: logins / seconds, cpuUs, whoami, health };
}
