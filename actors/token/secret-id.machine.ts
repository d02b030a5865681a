// The life of a secret id as a state machine: valid, exhausted, expired, destroyed. Pure: rows hold the state, time comes with the event.
import { assign, type SnapshotFrom, setup, transition } from 'xstate';

/** Times are milliseconds since the epoch. */
export interface SecretIdLife {
  /** 0: never. */
  readonly expiresAt: number;
  /** 0: any number. */
  readonly numUses: number;
  readonly uses: number;
  /** When the last use was made; 0 before. */
  readonly exhaustedAt: number;
}

interface SecretIdEvent {
  readonly type: 'use' | 'destroy';
  readonly now: number;
}

/** A secret id that is used up is told from an unknown one for so long. */
export const TOMBSTONE_MS = 30 * 86_400_000;

export const secretIdMachine = setup({
  types: { context: {} as SecretIdLife, events: {} as SecretIdEvent, input: {} as SecretIdLife },
  guards: {
    hasElapsed: ({ context, event }) => context.expiresAt !== 0 && context.expiresAt <= event.now,
    isUnlimited: ({ context }) => context.numUses === 0,
    isLast: ({ context }) => context.uses + 1 >= context.numUses,
    isForgotten: ({ context, event }) => context.exhaustedAt + TOMBSTONE_MS <= event.now,
  },
  actions: {
    count: assign({ uses: ({ context }) => context.uses + 1 }),
    noteEnd: assign({ exhaustedAt: ({ event }) => event.now }),
  },
}).createMachine({
  id: 'secret id',
  context: ({ input }) => input,
  initial: 'valid',
  states: {
    valid: {
      on: {
        // Uses that nobody limits are not counted: each would be one more write.
        use: [
          { guard: 'hasElapsed', target: 'expired' },
          { guard: 'isUnlimited' },
          { guard: 'isLast', target: 'exhausted', actions: ['count', 'noteEnd'] },
          { actions: 'count' },
        ],
        destroy: 'destroyed',
      },
    },
    exhausted: { on: { use: { guard: 'isForgotten', target: 'expired' }, destroy: 'destroyed' } },
    expired: { type: 'final' },
    destroyed: { type: 'final' },
  },
});

type SecretIdState = SnapshotFrom<typeof secretIdMachine>['value'];

/** A row is valid or exhausted; the other states have none. */
export function stepSecretId({ expiresAt, numUses, uses, exhaustedAt }: SecretIdLife, event: SecretIdEvent): { state: SecretIdState; life: SecretIdLife } {
  const value = exhaustedAt === 0 ? 'valid' : 'exhausted';
  const stored = secretIdMachine.resolveState({ value, context: { expiresAt, numUses, uses, exhaustedAt } });
  const [next] = transition(secretIdMachine, stored, event);
  return { state: next.value, life: next.context };
}
