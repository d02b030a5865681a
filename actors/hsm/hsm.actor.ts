// One HSM instance: the only thread that calls its PKCS#11 library. The calls are synchronous.
import { defineActor } from '../../kernel/actor.ts';
import type { HsmAnswer, HsmApi, HsmArgs } from './api.ts';
import { NAME_OF } from './constants.ts';
import { createCryptoki } from './cryptoki.ts';
import { bring, destroy, generate, generatePair, readValue } from './key-store.ts';
import { decrypt, derive, encrypt, sign, unwrap, wrap } from './key-use.ts';
import { Prober } from './prober.ts';
import { openBinding } from './slot-binding.ts';
import { SlotSession } from './slot-session.ts';
import { SlotWatch } from './slot-watch.ts';
import type { Token } from './token.ts';

export default defineActor<HsmApi, HsmArgs>(async ({ prefix, library, slots, admins, probeSeconds, alone }, ctx) => {
  const store = await ctx.openStore();
  const cryptoki = createCryptoki(library, alone);
  const watches = await Promise.all(slots.map(async ({ number, pin }) => new SlotWatch(number, pin, await openBinding(store, ctx.node, prefix, number))));
  const prober = new Prober(ctx, prefix, cryptoki, watches);
  const sessions = new Map(watches.map((watch) => [watch.number, new SlotSession(watch, prober)]));

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
      facts: () => ({ slots: slots.map(({ number }) => number), admins }),
      ...keyCalls(sessions),
    },
    async stop() {
      ctx.clock.clearTimeout(timer);
      await prober.idle();
      cryptoki.close();
      await store.close();
    },
  };
});

function keyCalls(sessions: ReadonlyMap<number, SlotSession>): Omit<HsmApi, 'probe' | 'facts'> {
  const on = <T>(slot: number, work: (token: Token) => T): Promise<HsmAnswer<T>> => {
    const session = sessions.get(slot);
    if (session) return session.run(work);
    return Promise.resolve({ ok: false, failure: { why: 'unavailable', text: 'it is not in hsm_slot' } });
  };
  return {
    mechanisms: (slot) => on(slot, ({ mechanisms }) => [...mechanisms].flatMap((code) => NAME_OF.get(code) ?? [])),
    list: (slot) => on(slot, (token) => token.list()),
    find: (slot, key) => on(slot, (token) => token.describe(key)),
    generate: (slot, options) => on(slot, (token) => generate(token, options)),
    generatePair: (slot, options) => on(slot, (token) => generatePair(token, options)),
    bring: (slot, options, key) => on(slot, (token) => bring(token, options, key)),
    destroy: (slot, key) => on(slot, (token) => destroy(token, key)),
    value: (slot, key) => on(slot, (token) => readValue(token, key)),
    encrypt: (slot, key, mechanism, data) => on(slot, (token) => encrypt(token, key, mechanism, data)),
    decrypt: (slot, key, mechanism, data) => on(slot, (token) => decrypt(token, key, mechanism, data)),
    sign: (slot, key, mechanism, data) => on(slot, (token) => sign(token, key, mechanism, data)),
    wrap: (slot, key, mechanism, material) => on(slot, (token) => wrap(token, key, mechanism, material)),
    unwrap: (slot, key, mechanism, wrapped) => on(slot, (token) => unwrap(token, key, mechanism, wrapped)),
    derive: (slot, key, mechanism, length) => on(slot, (token) => derive(token, key, mechanism, length)),
  };
}
