// Measures the memory of live sessions in the thread that caches them: creates and uses 100 000 sessions on SQLite.
import { hash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewSession } from '../actors/session/api.ts';
import type { SessionArgs } from '../actors/session/session.actor.ts';
import { sharded } from '../kernel/actor.ts';
import { createClock } from '../kernel/clock.ts';
import { migrate } from '../kernel/store/migrate.ts';
import { openStore } from '../kernel/store/open.ts';
import { AUTH_MIGRATIONS } from '../plugins/auth/migrations.ts';
import { createRuntime } from '../test/runtime.ts';
import type { WeighedSessionApi } from './fakes/weighed-session.actor.ts';
import { report, round } from './report/report.ts';

const SESSIONS = 100_000;
const WIDTH = 256;
const LIMIT_MB = 100;

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
const file = join(folder, 'sessions.db');
const clock = createClock();
const store = await openStore(`sqlite:${file}`, { writer: 'bench', clock });
await migrate(store, [{ owner: 'auth', migrations: AUTH_MIGRATIONS }], () => clock.now());
await store.transaction((tx) => tx.run("INSERT INTO realm VALUES ('r', '{}', 3600, 3600, 3600, 0)"));

const module = new URL('./fakes/weighed-session.actor.ts', import.meta.url);
const session = sharded<WeighedSessionApi, SessionArgs>({
  module,
  shards: 1,
  args: { cacheBytes: 536_870_912, quotas: { sessions_per_identity: 0, sessions_per_realm: 0 } },
  deadlineMs: 60_000,
  memoryMb: 1_024,
  store: true,
});
const { runtime, ref } = createRuntime({ session }, `sqlite:${file}`);
await runtime.start();
const actor = ref('session').of('');
const made = Array.from({ length: SESSIONS }, (_, index): NewSession => {
  const id = `00000000-0000-8000-8000-${String(index).padStart(12, '0')}`;
  const names = { realm: 'r', username: `user-${index}`, scheme: 'jwt', jti: id, source: '127.0.0.1' };
  return {
    id,
    ...names,
    cookieHash: new Uint8Array(hash('sha256', randomBytes(32), 'buffer')),
    maxAgeSeconds: 3_600,
    maxStaleAgeSeconds: 3_600,
    roles: ['reader'],
    extraClaims: {},
    revision: null,
    provenRealm: null,
    authParams: '{}',
  };
});
const before = await actor.held();
const makeMs = await timed((each) => actor.create(each));
const firstMs = await timed(({ id, cookieHash }) => actor.authenticate(id, cookieHash));
const againMs = await timed(({ id, cookieHash }) => actor.authenticate(id, cookieHash));
const grown = (await actor.held()) - before;
await runtime.stop();
await store.close();
const fileMb = statSync(file).size / 1e6;
rmSync(folder, { recursive: true });

const perSecond = (ms: number) => Math.round(SESSIONS / (ms / 1000));
report(
  'session-memory',
  [
    {
      sessions: SESSIONS,
      'memory MB': round(grown / 1e6),
      'file MB': round(fileMb),
      'made/s': perSecond(makeMs),
      'first use/s': perSecond(firstMs),
      'from the cache/s': perSecond(againMs),
    },
  ],
  [{ limit: `memory of ${SESSIONS} sessions, at most ${LIMIT_MB} MB`, value: round(grown / 1e6), holds: grown <= LIMIT_MB * 1e6 }],
);
process.exit(0);

async function timed(run: (session: NewSession) => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < SESSIONS) await run(made[next++] as NewSession);
  };
  await Promise.all(Array.from({ length: WIDTH }, worker));
  return performance.now() - startedAt;
}
