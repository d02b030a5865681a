// One HSM instance: its thread logs in, owns the sessions and uses keys; what takes long runs in threads beside it. The calls are synchronous.
import { type ActorContext, defineActor } from '../../kernel/actor.ts';
import type { Store } from '../../kernel/store/store.ts';
import type { HsmApi, HsmArgs, TokenKeyName } from './api.ts';
import { keyCalls } from './slot/key-calls.ts';
import { KeyLists } from './slot/key-lists.ts';
import { Prober, type SlotAudit } from './slot/prober.ts';
import { openBinding } from './slot/slot-binding.ts';
import { SlotDesks } from './slot/slot-desks.ts';
import { SlotSession } from './slot/slot-session.ts';
import { SlotWatch } from './slot/slot-watch.ts';
import { Tally } from './tally.ts';
import { createCryptoki } from './token/cryptoki.ts';
import { LentSessions } from './token/lent-sessions.ts';
import { nameOf } from './token/return-value.ts';
import { TokenThreads } from './work/token-threads.ts';

const STALL_MS = 30_000;
const LAST_WORD_MS = 100;

export default defineActor<HsmApi, HsmArgs>(async (args, ctx) => {
  const { prefix, library, probeSeconds, alone, initializeText, quirks = {}, hints = {} } = args;
  const store = await ctx.openStore();
  const threads = threadsOf(args, ctx);
  const cryptoki = createCryptoki({ path: library, alone, initializeText, hints, isBusy: () => threads.isBusy() });
  const watches = await watchesOf(args, ctx.node, store);
  const prober = new Prober(ctx, args, cryptoki, watches, slotAudit(store, prefix));
  const [tally, lists] = [new Tally(), new KeyLists(() => ctx.clock.monotonic())];
  const desksOf = (watch: SlotWatch) => new SlotDesks(watch, threads.forSlot(watch.number), threads.forUses, () => cryptoki.isForOneThread);
  const replaced = replacedKeys(store, ctx, prefix);
  const common = { host: prober, monotonic: () => ctx.clock.monotonic(), quirks, onReplaced: replaced.tell };
  const sessions = new Map(watches.map((watch) => [watch.number, new SlotSession({ ...common, watch, desks: desksOf(watch) })]));

  let timer = ctx.clock.setTimeout(again, 0);
  // Count the interval from the end of a probe, so that a slow library is not called all the time.
  function again() {
    void prober.probe().finally(() => {
      for (const { keys, parts } of sessions.values()) for (const each of [keys, parts]) each.sweep();
      lists.sweep();
      if (!ctx.signal.aborted) timer = ctx.clock.setTimeout(again, probeSeconds * 1000);
    });
  }

  return {
    api: {
      ...{ probe: () => prober.status(), acceptChange: () => prober.acceptChange() },
      serials: () => watches.map(({ serial }) => serial),
      figures: () => tally.figures(),
      ...keyCalls({ prefix, sessions, tally, lists, isAwaited: () => ctx.call()?.isCancelled !== true }),
    },
    async stop() {
      ctx.clock.clearTimeout(timer);
      await prober.idle();
      await threads.stop();
      await replaced.told();
      cryptoki.close();
      await store.close();
    },
  };
});

function watchesOf(args: HsmArgs, node: string, store: Store): Promise<SlotWatch[]> {
  const { slots, hints = {} } = args;
  const lent = new LentSessions();
  return Promise.all(slots.map(async ({ number, pin }) => new SlotWatch(number, pin, await openBinding(store, node, args, number), hints, lent)));
}

/** Tells of keys that another program has put in the place of others, in the log and in the audit log, where it is still seen when the log is gone. */
function replacedKeys(store: Store, { log }: Pick<ActorContext, 'log'>, prefix: string) {
  let told: Promise<unknown> = Promise.resolve();
  return {
    told: () => told,
    tell: ({ name, kind }: TokenKeyName, slot: number): void => {
      const said = 'another key is on the token under the name of one that was used: somebody has replaced it; what that has sealed needs it';
      log.warn({ prefix, slot, name, kind }, said);
      const row = { event: 'hsm.key', outcome: 'failure', target: `${prefix}::${slot}::${name}`, reason: `${kind} key: ${said}` } as const;
      const written = store
        .transaction((tx) => tx.audit(row))
        .catch((error: unknown) => log.error({ ...row, error: nameOf(error) }, 'a replaced key could not be written to the audit log'));
      told = Promise.all([told, written]);
    },
  };
}

function slotAudit(store: Store, prefix: string): SlotAudit {
  return (slot, problem) =>
    store.transaction((tx) =>
      tx.audit({ event: 'hsm.slot', outcome: problem === undefined ? 'success' : 'failure', target: `${prefix}::${slot}`, reason: problem ?? 'accessible' }),
    );
}

function threadsOf({ prefix, library, slots, quirks = {}, threads = 1, stallMs = STALL_MS, isolated = false }: HsmArgs, ctx: ActorContext): TokenThreads {
  const onStall = () => {
    ctx.log.error({ prefix, ms: stallMs }, 'a call of an HSM does not return');
    // Nothing else ends a thread that hangs in native code. The log entry leaves before.
    if (isolated) setTimeout(() => process.kill(process.pid, 'SIGKILL'), LAST_WORD_MS);
  };
  const options = { prefix, library, quirks, deadlineMs: stallMs, onStall };
  return new TokenThreads(
    options,
    slots.map(({ number }) => number),
    threads,
    ctx,
  );
}
