// The life of a managed object as a state machine: the six states of KMIP and the transitions between them (specification 2.1 section 4.57).
import { type SnapshotFrom, setup } from 'xstate';

/** Seconds since the epoch. */
interface LifeDates {
  readonly activation: number | undefined;
  readonly deactivation: number | undefined;
}

/** `elapse`: time has passed. `deactivate` and `compromise` are the two kinds of Revoke, depending on its reason code. */
export interface LifeEvent {
  readonly type: 'elapse' | 'activate' | 'deactivate' | 'compromise' | 'destroy';
  readonly now: number;
}

export const objectMachine = setup({
  types: { context: {} as LifeDates, events: {} as LifeEvent, input: {} as LifeDates },
  guards: {
    activationIsDue: ({ context, event }) => context.activation !== undefined && context.activation <= event.now,
    deactivationIsDue: ({ context, event }) => context.deactivation !== undefined && context.deactivation <= event.now,
  },
}).createMachine({
  id: 'managed object',
  context: ({ input }) => input,
  initial: 'PreActive',
  states: {
    PreActive: {
      on: {
        elapse: { guard: 'activationIsDue', target: 'Active' },
        activate: 'Active',
        deactivate: 'Deactivated',
        compromise: 'Compromised',
        destroy: 'Destroyed',
      },
    },
    // An active object cannot be destroyed: it must be revoked first.
    Active: { on: { elapse: { guard: 'deactivationIsDue', target: 'Deactivated' }, deactivate: 'Deactivated', compromise: 'Compromised' } },
    Deactivated: { on: { deactivate: 'Deactivated', compromise: 'Compromised', destroy: 'Destroyed' } },
    Compromised: { on: { destroy: 'DestroyedCompromised' } },
    Destroyed: { on: { deactivate: 'Destroyed', compromise: 'DestroyedCompromised' } },
    DestroyedCompromised: { on: { deactivate: 'DestroyedCompromised', compromise: 'DestroyedCompromised' } },
  },
});

export type LifeState = SnapshotFrom<typeof objectMachine>['value'];
