// The audit row of what was refused to a caller, whatever way it came: KMIP, the REST crypto API or /access.
import type { Principal } from './api.ts';
import { auditActor } from './principal.ts';
import type { KeyServer } from './server.ts';

/** Characters of a text that a client has chosen. */
const MAX_TARGET_LENGTH = 128;

export interface RefusedCall {
  /** `key.Get`, `key.grant`. */
  readonly event: string;
  readonly reason: string | undefined;
  /** What the client named, in its words. */
  readonly target: unknown;
}

/** @throws Fault if the row cannot be written; then the client does not get the refusal either */
export function auditRefusal({ store }: Pick<KeyServer, 'store'>, caller: Principal, { event, reason, target }: RefusedCall): Promise<void> {
  const row = {
    event,
    outcome: 'refused',
    ...auditActor(caller),
    reason,
    target: typeof target === 'string' ? readable(target) : undefined,
  } as const;
  return store.transaction((tx) => tx.audit(row));
}

/** Short, and without what would break a line or cannot be stored. */
function readable(text: string): string {
  return text
    .slice(0, MAX_TARGET_LENGTH)
    .replaceAll(/\p{Cc}/gu, '\uFFFD')
    .toWellFormed();
}
