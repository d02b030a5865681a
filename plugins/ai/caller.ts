// Names who asks: for the turns at a model, and for the audit log.
import type { Caller } from '../../kernel/http/caller/credential.ts';
import { holderOf } from '../../kernel/http/caller/holder.ts';
import type { Request } from '../../kernel/http/route.ts';

/** Requests of different callers take turns. `[ai] open` serves callers without a name: those are told apart by where they come from. */
export function callerOf({ caller, address }: Pick<Request, 'caller' | 'address'>): string {
  return holderOf(caller, address);
}

/** No source of names can name the users of another. */
export function auditNameOf({ credential, username, origin }: Caller): string {
  if (origin === undefined) return username;
  return credential === 'authorization' ? `jwt:${origin}/${username}` : `${origin}:${username}`;
}
