// The rights of a caller: which realms they administer.
import type { Principal } from '../../actors/directory/api.ts';
import { Fault } from '../../kernel/fault.ts';
import { type Caller, requireCaller } from '../../kernel/http/caller/credential.ts';
import { sourceOf } from '../../kernel/http/connection/source.ts';
import type { Request, Route } from '../../kernel/http/route.ts';
import type { AuthContext } from './actors.ts';

export interface Rights {
  readonly isSuperAdmin: boolean;
  /** Realms in the caller's admin records, as far as these apply to a session of the caller's realm. */
  readonly realms: readonly string[];
  administers(realm: string): boolean;
  administersAll(realms: readonly string[]): boolean;
}

/** @returns false for a caller without a session */
export async function isAdministered(ctx: AuthContext, { realm: own, account }: Caller, realm: string): Promise<boolean> {
  return account !== undefined && ctx.actors.directory.at('main').administers({ realm: own, account }, realm);
}

export async function rightsOf(ctx: AuthContext, { realm, account }: Caller): Promise<Rights> {
  const realms = account === undefined ? [] : await ctx.actors.directory.at('main').administered({ realm, account });
  const isSuperAdmin = realms.includes('_');
  const administers = (id: string) => isSuperAdmin || realms.includes(id);
  return { isSuperAdmin, realms, administers, administersAll: (ids) => ids.length > 0 && ids.every(administers) };
}

/** For `permit` of routes that only super admins may use. */
export function forSuperAdmins(ctx: AuthContext): NonNullable<Route['permit']> {
  return async (asking) => {
    if (!(await isAdministered(ctx, requireCaller(asking), '_'))) throw new Fault('FORBIDDEN');
  };
}

/** For `permit` of routes for everybody who administers a realm. */
export function forAdmins(ctx: AuthContext): NonNullable<Route['permit']> {
  return async (asking) => {
    if ((await rightsOf(ctx, requireCaller(asking))).realms.length === 0) throw new Fault('FORBIDDEN');
  };
}

/** For `permit` of routes for administrators of the realm in the path, whether or not it exists. */
export function forRealmAdmins(ctx: AuthContext): NonNullable<Route['permit']> {
  return async (asking) => {
    if (!(await isAdministered(ctx, requireCaller(asking), asking.params['realm_id'] as string))) throw new Fault('FORBIDDEN');
  };
}

/** For live views, whose readings check it each. @throws Fault FORBIDDEN for anybody else */
export async function requireSuperAdmin(ctx: AuthContext, request: Request): Promise<void> {
  if (!(await isAdministered(ctx, requireCaller(request), '_'))) throw new Fault('FORBIDDEN');
}

/** The acting user, for the audit log. */
export function actorOf(request: Pick<Request, 'caller' | 'address'>): Principal {
  const { realm, username, account = '', scheme } = requireCaller(request);
  return { realm, username, account, scheme, source: sourceOf(request.address) };
}

/** @param what names the object in the message @throws Fault NOT_FOUND for null */
export function requireFound<T>(value: T | null, what: string): T {
  if (value === null) throw new Fault('NOT_FOUND', { detail: `the ${what} does not exist` });
  return value;
}
