// The life of a model: loaded when it is first used, warmed up, unloaded when nobody uses it or another one needs the memory, and given up for a while when it fails.
import { assign, fromPromise, setup } from 'xstate';

/** `use`: somebody wants it. `evict`: another model needs the memory, or it is to be unloaded. `lost`: its process has ended by itself. */
type ModelEvent = { type: 'use' } | { type: 'evict' } | { type: 'lost'; cause: unknown };

export interface ModelLimits {
  /** Without use. */
  readonly keepAliveMs: number;
  /** Crashes within `withinMs` after which it is still loaded again. One more, and it is `failed`. */
  readonly maxCrashes: number;
  readonly withinMs: number;
  /** How long it stays `failed`. */
  readonly cooldownMs: number;
}

interface ModelContext {
  readonly limits: ModelLimits;
  /** Monotonic time in milliseconds. */
  readonly now: () => number;
  /** Times of the recent crashes. */
  readonly crashes: readonly number[];
  /** Why it failed last. */
  readonly problem: unknown;
}

export const modelMachine = setup({
  types: { context: {} as ModelContext, events: {} as ModelEvent, input: {} as { limits: ModelLimits; now: () => number } },
  actors: {
    load: fromPromise<void>(async () => {}),
    warm: fromPromise<void>(async () => {}),
    unload: fromPromise<void>(async () => {}),
  },
  guards: {
    /** Requests that take long do not renew its keep-alive while they run. */
    isBusy: () => false,
    hasCrashedTooOften: ({ context }) => recent(context).length >= context.limits.maxCrashes,
  },
  actions: {
    noteProblem: assign({ problem: (_, { problem }: { problem: unknown }) => problem }),
    noteCrash: assign({ crashes: ({ context }) => [...recent(context), context.now()], problem: (_, { problem }: { problem: unknown }) => problem }),
    /** What it held is gone. */
    forget: () => {},
  },
  delays: {
    keepAlive: ({ context }) => context.limits.keepAliveMs,
    cooldown: ({ context }) => context.limits.cooldownMs,
  },
}).createMachine({
  id: 'model',
  initial: 'absent',
  context: ({ input }) => ({ ...input, crashes: [], problem: undefined }),
  states: {
    absent: { on: { use: 'loading' } },
    loading: {
      invoke: {
        src: 'load',
        onDone: 'warming',
        onError: { target: 'failed', actions: [{ type: 'noteProblem', params: ({ event }) => ({ problem: event.error }) }] },
      },
    },
    warming: {
      invoke: {
        src: 'warm',
        onDone: 'ready',
        onError: { target: 'failed', actions: ['forget', { type: 'noteProblem', params: ({ event }) => ({ problem: event.error }) }] },
      },
    },
    ready: {
      after: { keepAlive: [{ guard: 'isBusy', target: 'ready', reenter: true }, { target: 'draining' }] },
      on: {
        // The keep-alive begins again.
        use: { target: 'ready', reenter: true },
        evict: 'draining',
        lost: [
          {
            guard: 'hasCrashedTooOften',
            target: 'failed',
            actions: ['forget', { type: 'noteCrash', params: ({ event }) => ({ problem: event.cause }) }],
          },
          { target: 'absent', actions: ['forget', { type: 'noteCrash', params: ({ event }) => ({ problem: event.cause }) }] },
        ],
      },
    },
    draining: { invoke: { src: 'unload', onDone: { target: 'absent', actions: 'forget' }, onError: { target: 'absent', actions: 'forget' } } },
    failed: { after: { cooldown: 'absent' } },
  },
});

function recent({ crashes, now, limits }: ModelContext): readonly number[] {
  return crashes.filter((at) => now() - at < limits.withinMs);
}
