// What the caller of a request may administer.
import type { Actor } from '../../actors/directory/api.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Caller } from '../../kernel/http/credential.ts';
import type { Request } from '../../kernel/http/route.ts';
import { sourceOf } from '../../kernel/http/source.ts';
import type { AuthContext } from './actors.ts';

export interface Rights {
  readonly isSuperAdmin: boolean;
  /** Realms listed in the caller's admin records, as far as they count in the caller's realm. */
  readonly realms: readonly string[];
  administers(realm: string): boolean;
  administersAll(realms: readonly string[]): boolean;
}

/** @returns none for a caller without a session */
export async function administeredBy(ctx: AuthContext, { realm, account }: Caller): Promise<readonly string[]> {
  return account === undefined ? [] : ctx.actors.directory.at('main').administered({ realm, account });
}

export async function rightsOf(ctx: AuthContext, caller: Caller): Promise<Rights> {
  const realms = await administeredBy(ctx, caller);
  const isSuperAdmin = realms.includes('_');
  const administers = (id: string) => isSuperAdmin || realms.includes(id);
  return { isSuperAdmin, realms, administers, administersAll: (ids) => ids.length > 0 && ids.every(administers) };
}

/** @throws Fault FORBIDDEN for anybody else */
export async function requireSuperAdmin(ctx: AuthContext, request: Request): Promise<Actor> {
  const rights = await rightsOf(ctx, request.caller as Caller);
  if (!rights.isSuperAdmin) throw new Fault('FORBIDDEN');
  return actorOf(request);
}

/** @throws Fault FORBIDDEN for those who do not administer the realm, whether it exists or not */
export async function requireRealmAdmin(ctx: AuthContext, request: Request, realm: string): Promise<Actor> {
  const rights = await rightsOf(ctx, request.caller as Caller);
  if (!rights.administers(realm)) throw new Fault('FORBIDDEN');
  return actorOf(request);
}

/** Who acts, for the audit log. */
export function actorOf({ caller, address }: Request): Actor {
  const { realm, username, account = '', scheme } = caller as Caller;
  return { realm, username, account, scheme, source: sourceOf(address) };
}

/** @throws Fault NOT_FOUND */
export function found<T>(value: T | null, what: string): T {
  if (value === null) throw new Fault('NOT_FOUND', { detail: `there is no ${what}` });
  return value;
}
