// One HSM instance: the only thread that calls its PKCS#11 library. The calls are synchronous.
import { defineActor } from '../../kernel/actor.ts';
import type { HsmApi, HsmArgs } from './api.ts';
import { createCryptoki } from './cryptoki.ts';
import { keyCalls } from './key-calls.ts';
import { Prober } from './prober.ts';
import { openBinding } from './slot-binding.ts';
import { SlotSession } from './slot-session.ts';
import { SlotWatch } from './slot-watch.ts';
import { Tally } from './tally.ts';

export default defineActor<HsmApi, HsmArgs>(async (args, ctx) => {
  const { prefix, library, slots, admins, probeSeconds, alone, initializeText, quirks = {}, hints = {} } = args;
  const store = await ctx.openStore();
  const cryptoki = createCryptoki({ path: library, alone, initializeText, hint: hints.library });
  const watches = await Promise.all(
    slots.map(async ({ number, pin }) => new SlotWatch(number, pin, await openBinding(store, ctx.node, prefix, number), hints)),
  );
  const prober = new Prober(ctx, prefix, cryptoki, watches, (slot, problem) =>
    store.transaction((tx) =>
      tx.audit({ event: 'hsm.slot', outcome: problem === undefined ? 'success' : 'failure', target: `${prefix}::${slot}`, reason: problem ?? 'accessible' }),
    ),
  );
  const tally = new Tally();
  const sessions = new Map(watches.map((watch) => [watch.number, new SlotSession(watch, prober, () => ctx.clock.monotonic(), quirks)]));

  let timer = ctx.clock.setTimeout(again, 0);
  // Count the interval from the end of a probe, so that a slow library is not called all the time.
  function again() {
    void prober.probe().finally(() => {
      if (!ctx.signal.aborted) timer = ctx.clock.setTimeout(again, probeSeconds * 1000);
    });
  }

  return {
    api: {
      probe: () => prober.status(),
      facts: () => ({ slots: slots.map(({ number }) => number), admins, deadlineMs: args.deadlineMs }),
      figures: () => tally.figures(),
      ...keyCalls(sessions, tally, () => ctx.call()?.signal.aborted !== true),
    },
    async stop() {
      ctx.clock.clearTimeout(timer);
      await prober.idle();
      cryptoki.close();
      await store.close();
    },
  };
});
