// The real kmip actor, with a witness: each answer says which thread gave it and how many objects that thread has read from the store, and a test can make it fail.
import { setTimeout as wait } from 'node:timers/promises';
import type { KmipApi, KmipArgs } from '../../actors/kmip/api.ts';
import kmip from '../../actors/kmip/kmip.actor.ts';
import { defineActor } from '../../kernel/actor.ts';
import type { Store } from '../../kernel/store/store.ts';
import { createVersions } from '../../kernel/versions.ts';

/** What happens to the next thread that has committed, before it has told the others. */
export const HARM = { none: 0, exit: 1, hang: 2 } as const;

export interface WitnessedArgs extends KmipArgs {
  /** Counters of each thread's own: what goes wrong without the shared ones. */
  readonly unshared?: boolean;
  /** One of HARM, shared by all threads; the first that commits takes it. */
  readonly harm: Int32Array;
}

export default defineActor<KmipApi, WitnessedArgs>(async ({ unshared, harm, ...args }, ctx) => {
  let reads = 0;
  const witnessed = (store: Store): Store => ({
    ...store,
    get(sql, params) {
      if (sql.includes('FROM kms_object WHERE id = $1')) reads += 1;
      return store.get(sql, params);
    },
    async transaction(work, options) {
      const value = await store.transaction(work, options);
      const taken = Atomics.exchange(harm, 0, HARM.none);
      if (taken === HARM.exit) process.exit(3);
      if (taken === HARM.hang) await wait(60_000);
      return value;
    },
  });
  const openStore = async () => witnessed(await ctx.openStore());
  const actor = await kmip(args, { ...ctx, openStore, ...(unshared ? { versions: createVersions() } : {}) });
  const { serve } = actor.api;
  return {
    ...actor,
    api: {
      ...actor.api,
      async serve(...call) {
        const answer = await serve(...call);
        return { ...answer, outcomes: [...answer.outcomes, `thread ${ctx.key}`, `reads ${reads}`] };
      },
    },
  };
});
