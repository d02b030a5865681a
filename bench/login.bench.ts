// Compares logins per second with the bare password hash, and measures /whoami and /health while logins saturate the machine.
import { availableParallelism } from 'node:os';
import { hashSync } from '@node-rs/argon2';
import { request } from 'undici';
import { median, percentile, report, round } from './report.ts';
import { login, PASSWORD, startServerProcess } from './server-process.ts';

const CONNECTIONS = 16;
const ROUNDS = 3;
const ROUND_MS = 8_000;
/** Pause between two probes of the same kind. Each kind has its own connections. */
const PROBE_MS = 10;
const LEAST_RATIO = 0.85;
const MOST_P99_MS = 25;

const server = await startServerProcess('[auth]\nlogin_rate_per_second = 1000000\nlogin_rate_burst = 1000000\n', CONNECTIONS + 8);
const cores = availableParallelism();
const rounds = [];
for (let round = 0; round < ROUNDS; round++) rounds.push(await measure());
await server.stop();

const rows = rounds.map(({ bareMs, loginsPerSecond, ratio, whoami, health }, index) => ({
  round: index + 1,
  'bare hash, ms of CPU': round(bareMs),
  'logins/s': round(loginsPerSecond),
  'of cores/hash': round(ratio, 2),
  'whoami p50 ms': round(percentile(whoami, 0.5)),
  'whoami p99 ms': round(percentile(whoami, 0.99)),
  'health p50 ms': round(percentile(health, 0.5)),
  'health p99 ms': round(percentile(health, 0.99)),
}));
const ratio = round(median(rounds.map((each) => each.ratio)), 2);
const [whoami, health] = [
  round(median(rounds.map((each) => percentile(each.whoami, 0.99)))),
  round(median(rounds.map((each) => percentile(each.health, 0.99)))),
];
report('login', rows, [
  { limit: `logins/s relative to cores / CPU of a bare hash, at least ${LEAST_RATIO}`, value: ratio, holds: ratio >= LEAST_RATIO },
  { limit: `p99 of /whoami under saturation, at most ${MOST_P99_MS} ms`, value: whoami, holds: whoami <= MOST_P99_MS },
  { limit: `p99 of /health under saturation, at most ${MOST_P99_MS} ms`, value: health, holds: health <= MOST_P99_MS },
]);

/** Measures the bare hash right before the logins, in the same state of the machine. */
async function measure() {
  const bareMs = bareHash();
  const until = performance.now() + ROUND_MS;
  let logins = 0;
  const loginLoop = async () => {
    while (performance.now() < until) {
      const { status } = await login(server.address, server.agent, PASSWORD);
      if (status !== 200) throw new Error(`a login answered ${status}`);
      if (performance.now() < until) logins += 1;
    }
  };
  const [whoamiTimes, healthTimes]: [number[], number[]] = [[], []];
  const probe = async (path: string, times: number[]) => {
    while (performance.now() < until) {
      const startedAt = performance.now();
      const { body } = await request(`${server.address}${path}`, { headers: { cookie: server.cookie }, dispatcher: server.agent });
      await body.dump();
      times.push(performance.now() - startedAt);
      await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
    }
  };
  await Promise.all([...Array.from({ length: CONNECTIONS }, loginLoop), probe('/whoami', whoamiTimes), probe('/health', healthTimes)]);
  const loginsPerSecond = logins / (ROUND_MS / 1000);
  return { bareMs, loginsPerSecond, ratio: loginsPerSecond / (cores / (bareMs / 1000)), whoami: whoamiTimes, health: healthTimes };
}

/** @returns CPU milliseconds of one hash with the server's parameters, by the library alone */
function bareHash(): number {
  const cost = { algorithm: 2, memoryCost: 65_536, timeCost: 3, parallelism: 4, outputLen: 32 };
  const password = new TextEncoder().encode(PASSWORD);
  const times = Array.from({ length: 12 }, () => {
    const cpu = process.cpuUsage();
    hashSync(password, cost);
    const { user, system } = process.cpuUsage(cpu);
    return (user + system) / 1000;
  });
  return median(times.slice(2));
}
