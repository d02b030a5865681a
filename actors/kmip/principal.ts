// Converts between a caller and the name that people see.
import { namingOf, scopeOf } from '../../kernel/store/account-name.ts';
import { accountOf, accountOfScope } from '../../kernel/store/accounts.ts';
import type { AuditEvent } from '../../kernel/store/audit.ts';
import type { Reader } from '../../kernel/store/store.ts';
import type { Principal } from './api.ts';

/** Whether the caller is the owner, or administers the HSM that is. */
export function owns({ user, administers }: Principal, owner: string): boolean {
  return owner === user || (administers?.includes(owner) ?? false);
}

/** The name for answers, logs, the audit log and the configuration. */
export function callerName({ user, name = user }: Principal): string {
  return name;
}

/** The fields of an audit row that identify the caller. */
export function auditActor(caller: Principal): Pick<AuditEvent, 'actor' | 'realm' | 'scheme' | 'source'> {
  const { realm, scheme, source } = caller;
  return { actor: callerName(caller), realm, scheme, source };
}

/** The user who has this name now, in order to check rights; undefined if nobody has the name. */
export async function subjectOf(from: Reader, name: string): Promise<Principal | undefined> {
  const account = await accountOf(from, name);
  const naming = namingOf(name);
  if (account === undefined || naming === undefined) return undefined;
  const who = { user: account, name, scheme: '', source: '' };
  const isOfRealm = (naming.kind === 'user' || naming.kind === 'guest') && !naming.scope.includes(':');
  const realmAccount = isOfRealm ? await accountOfScope(from, scopeOf(name) as string) : undefined;
  return realmAccount === undefined ? who : { ...who, realm: name.slice(0, name.indexOf('/')), realmAccount };
}
