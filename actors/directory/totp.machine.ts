// The life of a second factor as a state machine over its stored row: which events are allowed, and which proof they need.
import { setup } from 'xstate';

/**
 * `verify`: the client sent a code for a secret; `valid` says that it is correct. `remove`: removes the factor. `proven` says that the caller may
 * change the existing factor, because they sent an unused code of it or administer the realm.
 */
type TotpEvent =
  | { readonly type: 'generate' }
  | { readonly type: 'verify'; readonly valid: boolean; readonly proven: boolean }
  | { readonly type: 'remove'; readonly proven: boolean };

/** `disabled` means that there is no row: a generated secret is stored only after a code has proven that the user received it. */
export const totpMachine = setup({
  types: { events: {} as TotpEvent },
  guards: {
    isValid: ({ event }) => event.type === 'verify' && event.valid,
    isValidAndProven: ({ event }) => event.type === 'verify' && event.valid && event.proven,
    isProven: ({ event }) => event.type === 'remove' && event.proven,
  },
}).createMachine({
  id: 'totp',
  initial: 'disabled',
  states: {
    disabled: { on: { generate: 'disabled', verify: { guard: 'isValid', target: 'enabled' } } },
    enabled: { on: { generate: 'enabled', verify: { guard: 'isValidAndProven', target: 'enabled' }, remove: { guard: 'isProven', target: 'disabled' } } },
  },
});

/** Whether the machine accepts the event in this state. */
export function mayTotp(state: 'disabled' | 'enabled', event: TotpEvent): boolean {
  return totpMachine.resolveState({ value: state }).can(event);
}
