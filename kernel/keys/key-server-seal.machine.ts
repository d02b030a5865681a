// The states of the key server: sealed while its data key cannot be opened, which is tried again and again, and unsealed.
import { assign, fromPromise, setup } from 'xstate';

/** `away`: the key-encryption key can no longer be reached, or does not open the data key. */
interface SealEvent {
  readonly type: 'away';
  readonly reason: unknown;
}

interface SealContext {
  /** Failed attempts since it was last unsealed. */
  readonly failures: number;
  /** Reason of the last failure. */
  readonly reason: unknown;
}

/** Time limit of one attempt, and so also of the wait for it when the server starts. */
const UNSEAL_MS = 10_000;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 10_000;

export const keyServerSealMachine = setup({
  types: { context: {} as SealContext, events: {} as SealEvent },
  actors: { unseal: fromPromise<void>(async () => {}) },
  actions: {
    noteFailure: assign(({ context }, { reason }: { reason: unknown }) => ({ failures: context.failures + 1, reason })),
    forgetFailures: assign({ failures: 0, reason: undefined }),
    onSealed: () => {},
    onUnsealed: () => {},
  },
  delays: {
    limit: UNSEAL_MS,
    retry: ({ context }) => Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.max(0, context.failures - 1)),
  },
}).createMachine({
  id: 'keyServerSeal',
  initial: 'unsealing',
  context: { failures: 0, reason: undefined },
  states: {
    unsealing: {
      invoke: {
        src: 'unseal',
        onDone: 'unsealed',
        onError: { target: 'sealed', actions: { type: 'noteFailure', params: ({ event }) => ({ reason: event.error }) } },
      },
      after: {
        limit: { target: 'sealed', actions: { type: 'noteFailure', params: { reason: new Error(`it did not answer within ${UNSEAL_MS / 1000} seconds`) } } },
      },
    },
    sealed: { entry: 'onSealed', after: { retry: 'unsealing' } },
    unsealed: {
      entry: ['forgetFailures', 'onUnsealed'],
      on: { away: { target: 'sealed', actions: { type: 'noteFailure', params: ({ event }) => ({ reason: event.reason }) } } },
    },
  },
});
