// Hardware security modules: any number of instances, each with its own actor, and their current status.
import { createRequire } from 'node:module';
import type { HsmAbout, HsmApi, HsmArgs, SlotStatus } from '../../actors/hsm/api.ts';
import { type PinnedSpec, pinned } from '../../kernel/actor.ts';
import { CREDENTIAL_KINDS } from '../../kernel/http/caller/credential.ts';
import { definePlugin } from '../../kernel/plugin.ts';
import { DEFAULT_RESTART } from '../../kernel/restart-policy.ts';
import { callWith } from '../../kernel/runtime/mailbox/remote.ts';
import Type from '../../kernel/type.ts';
import { ACCEPT_CHANGE, HSM_CONFIG, HSM_FLAGS, type HsmConfig, hsmProblems, instanceOfFlags, withLibraries, withModels } from './config.ts';
import { type HsmInstance, hsmInstances, longestDeadline } from './instances.ts';
import { exposeInstances } from './metrics.ts';
import { HSM_MIGRATIONS } from './migrations.ts';

interface HsmActors {
  readonly [name: string]: PinnedSpec<HsmApi, HsmArgs>;
  readonly hsm: PinnedSpec<HsmApi, HsmArgs>;
}

const aboutOf = ({ slots, args: { admins, library, deadlineMs } }: HsmInstance): HsmAbout => ({ slots, admins, library, deadlineMs });

/** npm compiles the package during installation, and leaves it out if that fails. */
function isBindingInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve('pkcs11js');
    return true;
  } catch {
    return false;
  }
}

/** An HSM that does not answer within this time, in milliseconds, counts as not accessible. */
const STATUS_MS = 2_000;
/** A live view is read again after this time, in milliseconds. */
const LIVE_MS = 3_000;
/** An instance whose process ended too often is started again at this interval, milliseconds. */
const RETRY_MS = 10_000;

const STATUS = Type.Array(
  Type.Object({
    prefix: Type.String(),
    model: Type.String(),
    slots: Type.Array(Type.Object({ slot_id: Type.Integer(), accessible: Type.Boolean() })),
  }),
);

export default definePlugin<HsmConfig, HsmActors>({
  name: 'hsm',
  section: 'hsm_instances',
  config: HSM_CONFIG,
  tags: { HSM: 'The configured hardware security modules and their status.' },
  flags: HSM_FLAGS,
  sectionOf: instanceOfFlags,
  problems: hsmProblems,
  additions: 'hsm_models',
  complete: (config, additions, base) => withModels(withLibraries(config, base), additions),
  migrations: HSM_MIGRATIONS,
  actors(config) {
    const instances = hsmInstances(config, process.env);
    return {
      hsm: pinned<HsmApi, HsmArgs>({
        module: new URL('../../actors/hsm/hsm.actor.ts', import.meta.url),
        instances: Object.fromEntries(instances.map(({ prefix, args }) => [prefix, args])),
        about: Object.fromEntries(instances.map((instance) => [instance.prefix, aboutOf(instance)])),
        isolated: Object.fromEntries(instances.flatMap(({ prefix, isolation }) => (isolation ? [[prefix, isolation]] : []))),
        start: 'background',
        tellsReady: true,
        noProcess: 'isolation in [[hsm_instances]] says it for each of them',
        deadlineMs: longestDeadline(config) * 1000,
        restart: { ...DEFAULT_RESTART, retryMs: RETRY_MS },
        store: true,
      }),
    };
  },
  async open(ctx) {
    // Here and not with the routes, which every front has: the figures of the instances would be added up once for each.
    exposeInstances(ctx.metrics, ctx.actors.hsm);
    if (ctx.flags[ACCEPT_CHANGE] !== undefined)
      // A library may take long to answer, and the start waits for none.
      for (const prefix of ctx.actors.hsm.keys())
        void ctx.actors.hsm
          .at(prefix)
          .acceptChange()
          .catch((error: unknown) => ctx.log.warn({ prefix, error: String(error) }, `--${ACCEPT_CHANGE}: the HSM instance does not answer; start once more`));
    if (!isBindingInstalled())
      ctx.log.warn({}, 'no HSM support: the package pkcs11js could not be compiled here; install python3, make and g++, then run npm ci');
    return [];
  },
  routes(ctx) {
    const instances = hsmInstances(ctx.config, process.env);
    const status = async ({ prefix, model, slots }: HsmInstance) => ({ prefix, model, slots: await slotsNow(prefix, slots) });
    const slotsNow = (prefix: string, slots: readonly number[]): Promise<readonly SlotStatus[]> =>
      // If the actor cannot answer, for whatever reason, its callers cannot use the HSM either.
      callWith(ctx.actors.hsm.at(prefix), { deadlineMs: STATUS_MS })
        .probe()
        .catch(() => slots.map((slot_id) => ({ slot_id, accessible: false })));
    return [
      {
        method: 'GET',
        path: '/hsm/status',
        tag: 'HSM',
        summary: 'List the HSM instances with the current status of their slots',
        responses: { 200: { description: 'one entry per instance', schema: STATUS } },
        auth: CREDENTIAL_KINDS,
        live: { everyMs: LIVE_MS },
        handle: async () => ({ status: 200, body: await Promise.all(instances.map(status)) }),
      },
    ];
  },
});
