// The login as a state machine: what is proven, what is needed next, how it ends. It is pure: the caller keeps the snapshot.
import { assign, initialTransition, type SnapshotFrom, setup, transition } from 'xstate';
import type { Factor, LoginView } from '../../actors/directory/api.ts';

/** The input of a login: who signs in, with which credentials, and what the directory knows of them. It does not change. */
export interface LoginAttempt {
  readonly realm: string;
  readonly username: string;
  /** Address of the client, for locks and the audit log. */
  readonly source: string;
  readonly found: LoginView;
  /** The one-time code that the client sent. */
  readonly code: string | undefined;
  readonly newPassword: string | undefined;
}

/** The results of the steps so far. */
interface LoginFindings {
  /** Revision of the credential that was proven. */
  readonly revision: number;
  /** The credential is marked for a change, or its password is too old. */
  readonly mustChange: boolean;
  /** Why the new password cannot be used. */
  readonly unfit: string | undefined;
  /** PHC string of the new password. */
  readonly passwordHash: string | null;
  /** The factor that was refused. */
  readonly failed: Factor | null;
}

export type LoginEvent =
  | ({ readonly type: 'primary.accepted' } & Pick<LoginFindings, 'revision' | 'mustChange' | 'unfit'>)
  | { readonly type: 'primary.refused' }
  | { readonly type: 'totp.accepted' }
  | { readonly type: 'totp.refused' }
  | { readonly type: 'password.fit'; readonly passwordHash: string }
  | { readonly type: 'password.unfit'; readonly unfit: string };

const NOTHING: LoginFindings = { revision: 0, mustChange: false, unfit: undefined, passwordHash: null, failed: null };

/**
 * `primary`, `totp` and `password` wait for the outcome of a step, in this order. The final states are the next steps of the specification
 * and two refusals: `Refused` (401) and `Unfit`, a new password that cannot be used (400). In `Authenticated`, one transaction makes all
 * changes; it checks everything once more, and may still refuse.
 */
export const loginMachine = setup({
  types: { context: {} as LoginAttempt & LoginFindings, events: {} as LoginEvent, input: {} as LoginAttempt },
  guards: {
    asksForCode: ({ context: { found, code } }) => found.credential?.totp === true && code === undefined,
    hasCode: ({ context: { found, code } }) => found.credential?.totp === true && code !== undefined,
    offersNew: ({ context }) => context.newPassword !== undefined,
    mustChange: ({ context }) => context.mustChange,
  },
}).createMachine({
  id: 'login',
  initial: 'primary',
  context: ({ input }) => ({ ...input, ...NOTHING }),
  states: {
    primary: {
      on: {
        'primary.accepted': {
          target: 'proven',
          actions: assign(({ event: { revision, mustChange, unfit } }) => ({ revision, mustChange, unfit })),
        },
        'primary.refused': { target: 'Refused', actions: assign({ failed: 'password' }) },
      },
    },
    proven: { always: [{ guard: 'asksForCode', target: 'TotpRequired' }, { guard: 'hasCode', target: 'totp' }, { target: 'identified' }] },
    totp: { on: { 'totp.accepted': 'identified', 'totp.refused': { target: 'Refused', actions: assign({ failed: 'totp' }) } } },
    identified: { always: [{ guard: 'offersNew', target: 'password' }, { guard: 'mustChange', target: 'ChangePassword' }, { target: 'Authenticated' }] },
    password: {
      on: {
        'password.fit': { target: 'Authenticated', actions: assign({ passwordHash: ({ event }) => event.passwordHash }) },
        'password.unfit': { target: 'Unfit', actions: assign({ unfit: ({ event }) => event.unfit }) },
      },
    },
    Authenticated: { type: 'final' },
    TotpRequired: { type: 'final' },
    ChangePassword: { type: 'final' },
    Refused: { type: 'final' },
    Unfit: { type: 'final' },
  },
});

export type LoginState = SnapshotFrom<typeof loginMachine>;
export type LoginContext = LoginState['context'];

export function beginLogin(attempt: LoginAttempt): LoginState {
  return initialTransition(loginMachine, attempt)[0];
}

export function stepLogin(state: LoginState, event: LoginEvent): LoginState {
  return transition(loginMachine, state, event)[0];
}
