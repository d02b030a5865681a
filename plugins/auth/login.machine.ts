// The login as a state machine: what has been proven, what is asked for next, how it ends. Pure: the driver holds the snapshot.
import { initialTransition, type SnapshotFrom, setup, transition } from 'xstate';

/**
 * Outcomes of the steps, as the driver learns them. `primary` is the password; `mustChange` says that the credential is marked, and
 * `offersNew` that the client sent a new password along.
 */
export type LoginEvent =
  | { readonly type: 'primary.accepted'; readonly mustChange: boolean; readonly offersNew: boolean }
  | { readonly type: 'primary.refused' }
  | { readonly type: 'password.changed' }
  | { readonly type: 'password.unfit' }
  | { readonly type: 'password.refused' };

/**
 * `primary` and `password` are the steps that wait for an outcome. The final states are the specification's next steps, and two
 * refusals: `Refused` (401) and `Unfit`, a new password that cannot be used (400).
 */
export const loginMachine = setup({
  types: { events: {} as LoginEvent },
  guards: {
    offersNew: ({ event }) => event.type === 'primary.accepted' && event.offersNew,
    mustChange: ({ event }) => event.type === 'primary.accepted' && event.mustChange,
  },
}).createMachine({
  id: 'login',
  initial: 'primary',
  states: {
    primary: {
      on: {
        'primary.accepted': [{ guard: 'offersNew', target: 'password' }, { guard: 'mustChange', target: 'ChangePassword' }, { target: 'Authenticated' }],
        'primary.refused': 'Refused',
      },
    },
    password: { on: { 'password.changed': 'Authenticated', 'password.unfit': 'Unfit', 'password.refused': 'Refused' } },
    Authenticated: { type: 'final' },
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
