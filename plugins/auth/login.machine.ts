// The login as a state machine: what has been proven, what is asked for next, how it ends. Pure: the driver holds the snapshot.
import { assign, initialTransition, type SnapshotFrom, setup, transition } from 'xstate';

/** What the credential asks for, and what the client has sent along. */
export interface LoginNeeds {
  /** The credential has a second factor. */
  readonly totp: boolean;
  /** The client sent a code. */
  readonly code: boolean;
  /** The credential is marked, or its password too old. */
  readonly mustChange: boolean;
  /** The client sent a new password. */
  readonly offersNew: boolean;
}

export type LoginEvent =
  | { readonly type: 'primary.accepted'; readonly needs: LoginNeeds }
  | { readonly type: 'primary.refused' }
  | { readonly type: 'totp.accepted' }
  | { readonly type: 'totp.refused' }
  | { readonly type: 'password.fit' }
  | { readonly type: 'password.unfit' };

const NOTHING: LoginNeeds = { totp: false, code: false, mustChange: false, offersNew: false };

/**
 * `primary`, `totp` and `password` wait for the outcome of a step, in this order. The final states are the specification's next steps,
 * and two refusals: `Refused` (401) and `Unfit`, a new password that cannot be used (400). What `Authenticated` asks to be changed is changed
 * with one transaction, which looks at everything once more and may refuse.
 */
export const loginMachine = setup({
  types: { context: {} as LoginNeeds, events: {} as LoginEvent },
  guards: {
    asksForCode: ({ context }) => context.totp && !context.code,
    hasCode: ({ context }) => context.totp && context.code,
    offersNew: ({ context }) => context.offersNew,
    mustChange: ({ context }) => context.mustChange,
  },
}).createMachine({
  id: 'login',
  initial: 'primary',
  context: NOTHING,
  states: {
    primary: {
      on: {
        'primary.accepted': { target: 'proven', actions: assign(({ event }) => event.needs) },
        'primary.refused': 'Refused',
      },
    },
    proven: { always: [{ guard: 'asksForCode', target: 'TotpRequired' }, { guard: 'hasCode', target: 'totp' }, { target: 'identified' }] },
    totp: { on: { 'totp.accepted': 'identified', 'totp.refused': 'Refused' } },
    identified: { always: [{ guard: 'offersNew', target: 'password' }, { guard: 'mustChange', target: 'ChangePassword' }, { target: 'Authenticated' }] },
    password: { on: { 'password.fit': 'Authenticated', 'password.unfit': 'Unfit' } },
    Authenticated: { type: 'final' },
    TotpRequired: { type: 'final' },
    ChangePassword: { type: 'final' },
    Refused: { type: 'final' },
    Unfit: { type: 'final' },
  },
});

export type LoginState = SnapshotFrom<typeof loginMachine>;

export function beginLogin(): LoginState {
  return initialTransition(loginMachine)[0];
}

export function stepLogin(state: LoginState, event: LoginEvent): LoginState {
  return transition(loginMachine, state, event)[0];
}
