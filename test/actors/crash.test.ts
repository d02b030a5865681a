// The real actors die in each way there is, under a running server: only what was in flight fails, and everything is there afterwards.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { AnySpec, PinnedRef, Remote, ShardedRef } from '../../kernel/actor.ts';
import { definePlugin } from '../../kernel/plugin.ts';
import auth from '../../plugins/auth/plugin.ts';
import hsm from '../../plugins/hsm/plugin.ts';
import type { FragileApi } from '../fakes/fragile.ts';
import { outcome, until } from '../runtime.ts';
import { signInAdmin, startServer, type TestServer } from '../server.ts';
import { createSoftHsm } from '../softhsm.ts';
import { skipWithout } from '../system.ts';

// A death must find hashes that run.
process.env['GATEHOUSE_TEST_PASSWORD_COST'] = 'full';
const DEATHS = ['terminate', 'throwUncaught', 'rejectUnhandled', 'exhaustHeap'] as const;
type Death = (typeof DEATHS)[number];

const eager = { max: 50, withinMs: 60_000, firstDelayMs: 10, maxDelayMs: 50, retryMs: 60_000 };
const weak = (spec: AnySpec, name: string): AnySpec => ({
  ...spec,
  module: new URL(`../fakes/fragile-${name}.actor.ts`, import.meta.url),
  restart: eager,
  memoryMb: 64,
});

const fragileAuth = definePlugin({
  ...auth,
  actors: (config, ...kernel) => {
    const actors = auth.actors?.(config as never, ...kernel) as Record<string, AnySpec>;
    return { ...actors, session: weak(actors['session'] as AnySpec, 'session'), password: weak(actors['password'] as AnySpec, 'password') } as never;
  },
});
const fragileHsm = definePlugin({
  ...hsm,
  actors: (config, ...kernel) => ({ hsm: weak(hsm.actors?.(config as never, ...kernel).hsm as AnySpec, 'hsm') }) as never,
});
const plugins = [fragileAuth, fragileHsm] as never;

/** One for all deaths of an actor, each of which finds what the one before has left: a start costs more than a death. By configuration. */
const servers = new Map<string, Promise<{ readonly server: TestServer; readonly cookie: string }>>();
function started(config = '') {
  const known = servers.get(config) ?? startServer({ plugins, config }).then(async (server) => ({ server, cookie: await signInAdmin(server) }));
  servers.set(config, known);
  return known;
}
/** A token for each isolation. The library of both has one configuration for the process. */
let softHsm: ReturnType<typeof createSoftHsm> | undefined;
const configs = new Map<string, string>();
function withToken(isolation: string): string {
  softHsm ??= createSoftHsm();
  const slot = softHsm.addToken(isolation, '12345678');
  return `[[hsm_instances]]\nhsm_model = "soft_hsm"\nhsm_slot = [${slot}]\nhsm_password = ["12345678"]\nisolation = "${isolation}"\n`;
}
test.after(async () => {
  for (const { server } of await Promise.all(servers.values())) await server.end();
  softHsm?.end();
});

/** Without a part beside the front, so that every look at a session is a call of the actor. */
const OWN = '[auth]\nplacement = "own"\n';

async function kill(server: TestServer, actor: string, remote: Remote<FragileApi>, death: Death): Promise<void> {
  const group = server.runtime.groups.get(actor);
  const restarts = () => group?.supervisors.reduce((sum, cell) => sum + cell.restarts, 0) ?? 0;
  const before = restarts();
  if (death === 'terminate') void group?.supervisors[0]?.incarnation?.kill();
  else void outcome(remote[death]());
  await until(() => restarts() === before + 1, `${actor} was lost`, 30_000);
}

for (const death of DEATHS) {
  test(`session: ${death} with statements running and calls queued; the sessions are still there`, async () => {
    const { server, cookie } = await started(OWN);
    const session = server.runtime.ref('session') as unknown as ShardedRef<FragileApi>;
    // Reads that miss the cache and writes: 50 of each are queued when the thread dies.
    const asks = Array.from({ length: 50 }, (_, n) =>
      n % 2 === 0
        ? server.ask('GET', '/whoami', { cookie })
        : server.ask('DELETE', '/sessions', { cookie, body: { session_ids: [`00000000-0000-8000-8000-${String(n).padStart(12, '0')}`] } }),
    );
    await kill(server, 'session', session.all()[0] as Remote<FragileApi>, death);
    for (const { status, body } of await Promise.all(asks)) {
      assert.ok([200, 204, 503].includes(status), String(status));
      if (status === 503) assert.ok(['ACTOR_LOST'].includes(body.code), body.code);
    }
    assert.equal((await server.ask('GET', '/whoami', { cookie })).status, 200);
    assert.equal((await server.ask('GET', '/health')).status, 200);
  });

  test(`password: ${death} with hashes running; later logins succeed`, async () => {
    const { server } = await started();
    const password = server.runtime.ref('password') as unknown as Remote<FragileApi>;
    const logins = Array.from({ length: 8 }, () => server.ask('POST', '/login?realm=_', { user: 'admin:a new password' }));
    await until(() => (server.runtime.groups.get('password')?.supervisors[0]?.dispatcher.busy ?? 0) > 0, 'a hash runs');
    await kill(server, 'password', password, death);
    const answers = await Promise.all(logins);
    for (const { status, body } of answers) assert.ok(status === 200 || (status === 503 && body.code === 'ACTOR_LOST'), `${status} ${body?.code}`);
    assert.ok(answers.filter(({ status }) => status === 503).length <= 4);
    assert.equal((await server.ask('POST', '/login?realm=_', { user: 'admin:a new password' })).status, 200);
  });

  for (const isolation of ['thread', 'process']) {
    test(`hsm in a ${isolation}: ${death}; its status recovers by itself`, async () => {
      if (skipWithout('softhsm2')) return;
      const config = configs.get(isolation) ?? withToken(isolation);
      configs.set(isolation, config);
      const { server, cookie } = await started(config);
      const accessible = async () => {
        await server.runtime.advance(1_001);
        return (await server.ask('GET', '/hsm/status', { cookie })).body[0].slots[0].accessible === true;
      };
      await until(accessible, 'accessible');
      const remote = (server.runtime.ref('hsm') as unknown as PinnedRef<FragileApi>).at('hsm::soft_hsm');
      await kill(server, 'hsm', remote, death);
      await until(accessible, 'accessible again', 20_000);
    });
  }
}

for (const placement of ['own', 'beside'] as const)
  test(`placement ${placement}: a crash loop of the session actor shows in /ready and /metrics, and fails sign-ins`, async () => {
    const brief = { ...eager, max: 1, withinMs: 600_000 };
    const looping = definePlugin({
      ...fragileAuth,
      actors: (config, ...kernel) => {
        const actors = fragileAuth.actors?.(config, ...kernel) as unknown as Record<string, AnySpec>;
        return { ...actors, session: { ...actors['session'], restart: brief } } as never;
      },
    });
    const server = await startServer({ plugins: [looping, hsm] as never, ...(placement === 'own' ? { config: OWN } : {}) });
    const cookie = await signInAdmin(server);
    const session = server.runtime.ref('session') as unknown as ShardedRef<FragileApi>;
    await kill(server, 'session', session.all()[0] as Remote<FragileApi>, 'throwUncaught');
    await until(() => server.runtime.groups.get('session')?.supervisors[0]?.state === 'running', 'restarted once');
    await kill(server, 'session', session.all()[0] as Remote<FragileApi>, 'throwUncaught');
    const ready = await server.ask('GET', '/ready');
    assert.deepEqual([ready.status, ready.body], [503, { status: 'NOT_READY', not_ready: ['session: failed'] }]);
    const metrics = (await server.ask('GET', '/metrics')).text;
    assert.match(metrics, /gatehouse_actor_state\{actor="session",key="0",state="failed"\} 1/);
    assert.match(metrics, /gatehouse_actor_restarts_total\{actor="session",key="0"\} 2/);
    const refused = [503, 'UNAVAILABLE', '1'];
    const login = await server.ask('POST', '/login?realm=_', { user: 'admin:a new password' });
    assert.deepEqual([login.status, login.body.code, login.headers['retry-after']], refused);
    const whoami = await server.ask('GET', '/whoami', { cookie });
    // The part beside the front goes on knowing who is signed in.
    if (placement === 'beside') assert.equal(whoami.status, 200);
    else assert.deepEqual([whoami.status, whoami.body.code, whoami.headers['retry-after']], refused);
    assert.equal((await server.ask('GET', '/health')).status, 200);
    await server.runtime.advance(60_001);
    await until(async () => (await server.ask('POST', '/login?realm=_', { user: 'admin:a new password' })).status === 200, 'tried again after a minute');
    await server.end();
  });

test.run();
