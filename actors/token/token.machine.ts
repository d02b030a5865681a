// The life of an app token as a state machine: issued, renewed, revoked, exhausted, expired. It is pure: the state is in the row, the time in the event.
import { assign, type SnapshotFrom, setup, transition } from 'xstate';

/** Times are milliseconds since the epoch. */
export interface TokenLife {
  /** 0: never. */
  readonly expiresAt: number;
  /** A renewal sets the remaining time to this; 0: the token does not expire. */
  readonly leaseSeconds: number;
  /** Renewals do not go beyond this time; 0: no limit. */
  readonly maxExpiresAt: number;
  /** False: renewals change nothing. */
  readonly renewable: boolean;
  /** 0: unlimited; -1 for the last use itself. */
  readonly usesLeft: number;
}

interface TokenEvent {
  readonly type: 'use' | 'renew' | 'revoke';
  readonly now: number;
}

/** The end of a lease that begins now; 0: never. */
export function leaseEnd(now: number, leaseSeconds: number, maxExpiresAt: number): number {
  if (leaseSeconds === 0) return maxExpiresAt;
  const end = now + leaseSeconds * 1000;
  return maxExpiresAt === 0 ? end : Math.min(end, maxExpiresAt);
}

/** Whether the token has ended. A look at it has no other effect, so it asks this instead of the machine, which takes as long as reading the row. */
export function hasElapsed({ expiresAt }: Pick<TokenLife, 'expiresAt'>, now: number): boolean {
  return expiresAt !== 0 && expiresAt <= now;
}

export const tokenMachine = setup({
  types: { context: {} as TokenLife, events: {} as TokenEvent, input: {} as TokenLife },
  guards: {
    hasElapsed: ({ context, event }) => hasElapsed(context, event.now),
    isRenewable: ({ context }) => context.renewable,
    isUnlimited: ({ context }) => context.usesLeft === 0,
    isLast: ({ context }) => context.usesLeft === 1,
  },
  actions: {
    prolong: assign({ expiresAt: ({ context, event }) => leaseEnd(event.now, context.leaseSeconds, context.maxExpiresAt) }),
    count: assign({ usesLeft: ({ context }) => context.usesLeft - 1 }),
    noteEnd: assign({ usesLeft: -1 }),
  },
}).createMachine({
  id: 'token',
  context: ({ input }) => input,
  initial: 'issued',
  states: {
    issued: {
      on: {
        use: [
          { guard: 'hasElapsed', target: 'expired' },
          { guard: 'isUnlimited' },
          { guard: 'isLast', target: 'exhausted', actions: 'noteEnd' },
          { actions: 'count' },
        ],
        renew: [
          { guard: 'hasElapsed', target: 'expired' },
          { guard: 'isRenewable', actions: 'prolong' },
        ],
        revoke: [{ guard: 'hasElapsed', target: 'expired' }, { target: 'revoked' }],
      },
    },
    expired: { type: 'final' },
    exhausted: { type: 'final' },
    revoked: { type: 'final' },
  },
});

type TokenState = SnapshotFrom<typeof tokenMachine>['value'];

/** A stored row is an issued token; revoked and exhausted tokens have no row. */
export function stepToken(life: TokenLife, event: TokenEvent): { state: TokenState; life: TokenLife } {
  const { expiresAt, leaseSeconds, maxExpiresAt, renewable, usesLeft } = life;
  const stored = tokenMachine.resolveState({ value: 'issued', context: { expiresAt, leaseSeconds, maxExpiresAt, renewable, usesLeft } });
  const [{ value, context }] = transition(tokenMachine, stored, event);
  return { state: value, life: context };
}
