// The life of a secret id as a state machine: valid, exhausted, expired, destroyed. It is pure: the state is in the row, the time in the event.
import { assign, type SnapshotFrom, setup, transition } from 'xstate';

/** Times are milliseconds since the epoch. */
export interface SecretIdLife {
  /** 0: never. */
  readonly expiresAt: number;
  /** 0: unlimited. */
  readonly numUses: number;
  readonly uses: number;
  /** Time of the last allowed use; 0 before. */
  readonly exhaustedAt: number;
}

interface SecretIdEvent {
  readonly type: 'use' | 'destroy';
  readonly now: number;
}

/** For this long, a used-up secret id is refused as exhausted; after that, as unknown. */
export const TOMBSTONE_MS = 30 * 86_400_000;

const hasElapsed = ({ expiresAt }: SecretIdLife, now: number): boolean => expiresAt !== 0 && expiresAt <= now;
const isUnlimited = ({ numUses }: SecretIdLife): boolean => numUses === 0;

/** Whether the machine would admit a use and change nothing. A login asks this first, because a step of the machine takes longer than its queries. */
export function isFreeToUse(life: SecretIdLife, now: number): boolean {
  return life.exhaustedAt === 0 && !hasElapsed(life, now) && isUnlimited(life);
}

export const secretIdMachine = setup({
  types: { context: {} as SecretIdLife, events: {} as SecretIdEvent, input: {} as SecretIdLife },
  guards: {
    hasElapsed: ({ context, event }) => hasElapsed(context, event.now),
    isUnlimited: ({ context }) => isUnlimited(context),
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
        // Unlimited uses are not counted: each would cost a write.
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

/** A stored row is valid or exhausted; the other states have no row. */
export function stepSecretId({ expiresAt, numUses, uses, exhaustedAt }: SecretIdLife, event: SecretIdEvent): { state: SecretIdState; life: SecretIdLife } {
  const value = exhaustedAt === 0 ? 'valid' : 'exhausted';
  const stored = secretIdMachine.resolveState({ value, context: { expiresAt, numUses, uses, exhaustedAt } });
  const [next] = transition(secretIdMachine, stored, event);
  return { state: next.value, life: next.context };
}
