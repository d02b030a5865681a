// Writes the audit row of a refused or failed call, for KMIP, the REST crypto API and /access.
import type { Principal } from './api.ts';
import { auditActor } from './principal.ts';
import type { KeyServer } from './server.ts';

/** Maximum length of a text that the client has chosen. */
const MAX_TARGET_LENGTH = 128;

export interface RefusedCall {
  /** For example `key.Get` or `key.grant`. */
  readonly event: string;
  readonly reason: string | undefined;
  /** The target as the client named it. */
  readonly target: unknown;
  /** An HSM instance has not answered, and the outcome is unknown. `reason` is the code of the fault. */
  readonly isUnknown?: boolean;
}

/** @throws Fault if the row cannot be written; then the client does not get the refusal either */
export function auditRefusal({ store }: Pick<KeyServer, 'store'>, caller: Principal, { event, reason, target, isUnknown = false }: RefusedCall): Promise<void> {
  const row = {
    event,
    outcome: isUnknown ? 'failure' : 'refused',
    ...auditActor(caller),
    reason,
    target: typeof target === 'string' ? readable(target) : undefined,
  } as const;
  return store.transaction((tx) => tx.audit(row));
}

/** Shortens the text, and replaces characters that would break a line or cannot be stored. */
function readable(text: string): string {
  return text
    .slice(0, MAX_TARGET_LENGTH)
    .replaceAll(/\p{Cc}/gu, '\uFFFD')
    .toWellFormed();
}
