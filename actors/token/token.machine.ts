// The life of an app token as a state machine: issued, renewed, revoked, expired. Pure: rows hold the state, time comes with the event.
import { assign, type SnapshotFrom, setup, transition } from 'xstate';

/** Times are milliseconds since the epoch. */
export interface TokenLife {
  /** 0: never. */
  readonly expiresAt: number;
  /** What a renewal sets the time that is left to; 0: it does not expire. */
  readonly leaseSeconds: number;
  /** What no renewal goes beyond; 0: none. */
  readonly maxExpiresAt: number;
  /** False: no renewal changes anything. */
  readonly renewable: boolean;
}

export interface TokenEvent {
  readonly type: 'use' | 'renew' | 'revoke';
  readonly now: number;
}

/** When a lease that begins now ends; 0: never. */
export function leaseEnd(now: number, leaseSeconds: number, maxExpiresAt: number): number {
  if (leaseSeconds === 0) return maxExpiresAt;
  const end = now + leaseSeconds * 1000;
  return maxExpiresAt === 0 ? end : Math.min(end, maxExpiresAt);
}

export const tokenMachine = setup({
  types: { context: {} as TokenLife, events: {} as TokenEvent, input: {} as TokenLife },
  guards: {
    hasElapsed: ({ context, event }) => context.expiresAt !== 0 && context.expiresAt <= event.now,
    isRenewable: ({ context }) => context.renewable,
  },
  actions: { prolong: assign({ expiresAt: ({ context, event }) => leaseEnd(event.now, context.leaseSeconds, context.maxExpiresAt) }) },
}).createMachine({
  id: 'token',
  context: ({ input }) => input,
  initial: 'issued',
  states: {
    issued: {
      on: {
        use: { guard: 'hasElapsed', target: 'expired' },
        renew: [
          { guard: 'hasElapsed', target: 'expired' },
          { guard: 'isRenewable', actions: 'prolong' },
        ],
        revoke: [{ guard: 'hasElapsed', target: 'expired' }, { target: 'revoked' }],
      },
    },
    expired: { type: 'final' },
    revoked: { type: 'final' },
  },
});

export type TokenState = SnapshotFrom<typeof tokenMachine>['value'];

/** A row is an issued token: those that are revoked have none. */
export function stepToken({ expiresAt, leaseSeconds, maxExpiresAt, renewable }: TokenLife, event: TokenEvent): { state: TokenState; life: TokenLife } {
  const stored = tokenMachine.resolveState({ value: 'issued', context: { expiresAt, leaseSeconds, maxExpiresAt, renewable } });
  const [{ value, context }] = transition(tokenMachine, stored, event);
  return { state: value, life: context };
}
