// One HSM instance: the only thread that talks to its PKCS#11 library, by synchronous calls.
import { defineActor } from '../../kernel/actor.ts';
import type { Store } from '../../kernel/store/store.ts';
import type { HsmApi, HsmArgs, SlotStatus } from './api.ts';
import { createCryptoki } from './cryptoki.ts';
import { nameOf } from './return-value.ts';
import { type SlotBinding, watchSlot } from './slot-watch.ts';

/** Callers that ask within this time get the last answer, milliseconds. */
const FRESH_MS = 1_000;
const RESTART_EVERY = 3;

export default defineActor<HsmApi, HsmArgs>(async ({ prefix, library, slots, probeSeconds, alone }, ctx) => {
  const store = await ctx.openStore();
  const cryptoki = createCryptoki(library, alone);
  const watches = await Promise.all(slots.map(async ({ number, pin }) => watchSlot(number, pin, await openBinding(store, ctx.node, prefix, number))));
  let probedAt = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let probing: Promise<readonly SlotStatus[]> | undefined;

  const status = (): SlotStatus[] => watches.map(({ number, problem }) => ({ slot_id: number, accessible: problem === undefined }));

  async function probeSlots(): Promise<void> {
    const open = await cryptoki.open();
    for (const watch of watches) await watch.probe(open);
  }

  /**
   * Some libraries see a token that came back only after they were started anew. That ends the sessions of healthy slots too, so it is
   * done at every probe while no slot works, and now and then while some do.
   */
  function restartIsDue(): boolean {
    const gone = watches.filter(({ problem, refused }) => problem !== undefined && !refused);
    failures = gone.length === 0 ? 0 : failures + 1;
    return gone.length > 0 && (gone.length === watches.length || failures % RESTART_EVERY === 0);
  }

  function restart(): void {
    if (cryptoki.restart()) for (const watch of watches) watch.reset('the library was started anew');
  }

  async function probeAll(): Promise<readonly SlotStatus[]> {
    const before = JSON.stringify(watches.map(({ problem }) => problem));
    try {
      await probeSlots();
      if (restartIsDue()) {
        restart();
        await probeSlots();
      }
    } catch (error) {
      for (const watch of watches) watch.reset(nameOf(error));
    }
    probedAt = ctx.clock.now();
    const failing = watches.filter(({ problem }) => problem !== undefined);
    const note = failing.map(({ number, problem }) => `slot ${number}: ${problem}`).join('; ');
    ctx.report(failing.length === 0 ? { ready: true, detail: status() } : { ready: false, note, detail: status() });
    if (before !== JSON.stringify(watches.map(({ problem }) => problem)))
      ctx.log[failing.length === 0 ? 'info' : 'warn']({ prefix, note }, failing.length === 0 ? 'HSM accessible' : 'HSM not accessible');
    return status();
  }

  const probe = () => {
    probing ??= probeAll().finally(() => {
      probing = undefined;
    });
    return probing;
  };

  let timer = ctx.clock.setTimeout(again, 0);
  function again() {
    void probe().finally(() => {
      if (!ctx.signal.aborted) timer = ctx.clock.setTimeout(again, probeSeconds * 1000);
    });
  }

  return {
    api: {
      probe: async () => (probing === undefined && ctx.clock.now() - probedAt < FRESH_MS ? status() : probe()),
    },
    async stop() {
      ctx.clock.clearTimeout(timer);
      await probing;
      cryptoki.close();
      await store.close();
    },
  };
});

/** The token that a configured slot number stands for: bound at the first login, by its serial number, for ever after. */
async function openBinding(store: Store, node: string, prefix: string, slot: number): Promise<SlotBinding> {
  const known = await store.get<{ serial: string }>('SELECT serial FROM hsm_slot WHERE node = $1 AND prefix = $2 AND slot = $3', [node, prefix, slot]);
  const binding: SlotBinding = {
    serial: known?.serial,
    async bind(serial) {
      await store.transaction((tx) => tx.run('INSERT INTO hsm_slot (node, prefix, slot, serial) VALUES ($1, $2, $3, $4)', [node, prefix, slot, serial]));
      binding.serial = serial;
    },
  };
  return binding;
}
