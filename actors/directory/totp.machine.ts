// The life of a second factor as a state machine over its stored row: what may happen to it, and on which proof.
import { setup } from 'xstate';

/**
 * `verify`: a code for a secret was sent; `valid` says that it fits. `remove`: the factor is to go. `proven` says that the caller may act on
 * the factor there is: by an unused code of it, or by administering the realm.
 */
type TotpEvent =
  | { readonly type: 'generate' }
  | { readonly type: 'verify'; readonly valid: boolean; readonly proven: boolean }
  | { readonly type: 'remove'; readonly proven: boolean };

/** `disabled` is the absence of a row: a generated secret is not stored until a code proves that it arrived. */
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

/** Whether the machine takes the event in the state that the row stands for. */
export function mayTotp(state: 'disabled' | 'enabled', event: TotpEvent): boolean {
  return totpMachine.resolveState({ value: state }).can(event);
}
