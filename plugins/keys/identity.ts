// The identity of a caller in the key server: one string, in a different form for each source, so that no source can name the users of another.
import type { Principal } from '../../actors/kmip/api.ts';
import { Fault } from '../../kernel/fault.ts';
import { type Caller, requireCaller } from '../../kernel/http/caller/credential.ts';
import { sourceOf } from '../../kernel/http/connection/source.ts';
import type { Request, Route } from '../../kernel/http/route.ts';
import { normalName } from '../../kernel/normal-form.ts';
import { realmScope, userName } from '../../kernel/store/account-name.ts';
import type { KeysConfig } from './config.ts';

type Realms = Pick<KeysConfig, 'realm' | 'realms'>;

/** The account was determined at the sign-in, so nothing is looked up here. @throws Fault FORBIDDEN for a session of a realm that may not use the key server */
export function principalOf(config: Realms, caller: Caller, address: string): Principal {
  const source = sourceOf(address);
  const known = principals.get(caller);
  if (known?.source === source) return known;
  const principal = newPrincipal(config, caller, source);
  principals.set(caller, principal);
  return principal;
}

/** The caller of a session is the same object in every request. */
const principals = new WeakMap<Caller, Principal>();

function newPrincipal(config: Realms, caller: Caller, source: string): Principal {
  const { credential, realm, scheme } = caller;
  if (credential === 'certificate') return { user: normalName(caller.username) ?? caller.username, scheme, source };
  if (credential !== 'cookie') return { ...namePrincipal(caller, nameOf(caller)), scheme, source };
  if (!config.realms.includes('*') && !config.realms.includes(realm)) throw new Fault('FORBIDDEN', { detail: 'this realm may not use the key server' });
  const ofRealm = { realm, ...(caller.realmAccount === realmScope(realm) ? {} : { realmAccount: caller.realmAccount as string }) };
  if (isBare(config, caller)) return { user: caller.username, ...ofRealm, scheme, source };
  const name = scheme === 'up' ? userName(realm, caller.username) : `${realmScope(realm)}${scheme}:${caller.username}`;
  return { ...namePrincipal(caller, name), ...ofRealm, scheme, source };
}

/** The principal of a request; the route must require authentication. */
export function principalIn(config: Realms, request: Request): Principal {
  return principalOf(config, requireCaller(request), request.address);
}

/** Refuses sessions of realms that may not use the key server before their query and body are looked at. */
export function forRealms(config: Realms, routes: readonly Route[]): readonly Route[] {
  if (config.realms.includes('*')) return routes;
  const permit: Route['permit'] = (asking) => void principalOf(config, requireCaller(asking), asking.address);
  return routes.map((route) => ({ ...route, permit }));
}

/**
 * Users of this realm share their identity with client certificates of the same name. The operator chooses that with `[keys] realm`; deleting
 * the user does not invalidate such a certificate.
 */
function isBare({ realm: bare }: Realms, { realm, scheme }: Caller): boolean {
  return bare !== '' && realm === bare && scheme === 'up';
}

/** Never uses the name in place of a missing account: the name may have belonged to somebody else before. */
function namePrincipal({ credential, account, realm, realmAccount }: Caller, name: string): Pick<Principal, 'user' | 'name'> {
  if (account === undefined || (realm !== '' && realmAccount === undefined)) throw new Error(`a caller by ${credential} has no account`);
  return account === name ? { user: account } : { user: account, name };
}

/** Realms, user names and common names contain neither `:` nor `/`, so the first of these two characters tells the form. */
function nameOf({ credential, username, origin }: Caller): string {
  return credential === 'authorization' ? `jwt:${origin}/${username}` : `${origin}:${username}`;
}
