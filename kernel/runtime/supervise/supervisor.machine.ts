// The states of one actor thread: it is started, restarted after growing delays, given up for a while, and stopped.
import { assign, fromPromise, setup } from 'xstate';
import { Fault } from '../../fault.ts';
import type { RestartPolicy } from '../../restart-policy.ts';

/** `lost`: the thread or process has ended. `replace`: it was ended on purpose at a deadline, which is not a crash. `unsealed`: the data keys can be opened again. */
type SupervisorEvent = { type: 'lost'; cause: unknown } | { type: 'replace' } | { type: 'unsealed' } | { type: 'stop' };

interface SupervisorContext {
  readonly policy: RestartPolicy;
  /** Monotonic time in milliseconds. */
  readonly now: () => number;
  /** Times of the recent crashes. */
  readonly crashes: readonly number[];
  /** Starts in a row that failed because the database did not take another connection. */
  readonly misses: number;
  /** It was `failed` and has not run for a whole window since then: the next crash makes it `failed` again. */
  readonly probation: boolean;
}

/** Faults of a start that the state of the database causes: it is away, or has no connection to give. */
const PASSING: ReadonlySet<string> = new Set(['UNAVAILABLE', 'OVERLOADED']);

export const supervisorMachine = setup({
  types: { context: {} as SupervisorContext, events: {} as SupervisorEvent, input: {} as { policy: RestartPolicy; now: () => number } },
  actors: { start: fromPromise<void>(async () => {}), stop: fromPromise<void>(async () => {}) },
  guards: {
    isSealed: (_, { cause }: { cause: unknown }) => cause instanceof Fault && cause.code === 'KEY_SERVER_SEALED',
    isMiss: (_, { cause }: { cause: unknown }) => cause instanceof Fault && PASSING.has(cause.code),
    exhausted: ({ context }) => context.probation || recent(context).length >= context.policy.max,
  },
  actions: {
    noteCrash: assign({ crashes: ({ context }) => [...recent(context), context.now()] }),
    noteMiss: assign({ misses: ({ context }) => context.misses + 1 }),
    forgetMisses: assign({ misses: 0 }),
    beginProbation: assign({ probation: true }),
    endProbation: assign({ probation: false, crashes: [] }),
    onRunning: () => {},
    onDown: () => {},
    onFailed: () => {},
    onSealed: () => {},
    onUnsealed: () => {},
    /** Gets the reason of a failed start or of a loss, before the next state is entered. */
    onCrash: (_, _params: { cause: unknown }) => {},
  },
  delays: {
    backoff: ({ context: { policy, crashes, misses } }) => Math.min(policy.maxDelayMs, policy.firstDelayMs * 2 ** Math.max(0, crashes.length - 1, misses - 1)),
    retry: ({ context }) => context.policy.retryMs,
    window: ({ context }) => context.policy.withinMs,
  },
}).createMachine({
  id: 'supervisor',
  initial: 'starting',
  context: ({ input }) => ({ ...input, crashes: [], misses: 0, probation: false }),
  states: {
    starting: {
      invoke: {
        src: 'start',
        onDone: 'running',
        onError: [
          // Not a crash: the actor cannot start without its data key.
          { guard: { type: 'isSealed', params: ({ event }) => ({ cause: event.error }) }, target: 'sealed' },
          // Not a crash either: the database is away or has no free connection. The actor must start soon after it is back, not a minute later.
          {
            guard: { type: 'isMiss', params: ({ event }) => ({ cause: event.error }) },
            target: 'waiting',
            actions: [{ type: 'onCrash', params: ({ event }) => ({ cause: event.error }) }, 'noteMiss'],
          },
          { guard: 'exhausted', target: 'failed', actions: [{ type: 'onCrash', params: ({ event }) => ({ cause: event.error }) }, 'noteCrash'] },
          { target: 'waiting', actions: [{ type: 'onCrash', params: ({ event }) => ({ cause: event.error }) }, 'noteCrash'] },
        ],
      },
      on: { stop: 'stopping' },
    },
    running: {
      entry: ['forgetMisses', 'onRunning'],
      exit: 'onDown',
      after: { window: { actions: 'endProbation' } },
      on: {
        lost: [
          { guard: 'exhausted', target: 'failed', actions: [{ type: 'onCrash', params: ({ event }) => ({ cause: event.cause }) }, 'noteCrash'] },
          { target: 'waiting', actions: [{ type: 'onCrash', params: ({ event }) => ({ cause: event.cause }) }, 'noteCrash'] },
        ],
        replace: 'starting',
        stop: 'stopping',
      },
    },
    waiting: { after: { backoff: 'starting' }, on: { stop: 'stopped' } },
    sealed: { entry: 'onSealed', exit: 'onUnsealed', on: { unsealed: 'starting', stop: 'stopped' } },
    failed: { entry: ['beginProbation', 'onFailed'], after: { retry: 'starting' }, on: { stop: 'stopped' } },
    stopping: { invoke: { src: 'stop', onDone: 'stopped', onError: 'stopped' } },
    stopped: { type: 'final' },
  },
});

function recent({ crashes, now, policy }: SupervisorContext): readonly number[] {
  return crashes.filter((at) => now() - at < policy.withinMs);
}
