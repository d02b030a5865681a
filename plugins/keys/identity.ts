// Who a caller is for the key server: one string, with a form for each source of identity, so that no source can name another's users.
import type { Principal } from '../../actors/kmip/api.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Caller } from '../../kernel/http/credential.ts';
import type { Request } from '../../kernel/http/route.ts';
import { sourceOf } from '../../kernel/http/source.ts';
import { normalName } from '../../kernel/normal-form.ts';
import type { KeysConfig } from './config.ts';

type Realms = Pick<KeysConfig, 'realm' | 'realms'>;

/** @throws Fault FORBIDDEN for a session of a realm that may not use the key server */
export function principalOf(config: Realms, caller: Caller, address: string): Principal {
  const source = sourceOf(address);
  const { credential, realm, scheme } = caller;
  if (credential !== 'cookie') return { user: nameOf(caller), scheme, source };
  if (!config.realms.includes('*') && !config.realms.includes(realm)) throw new Fault('FORBIDDEN', { detail: 'this realm may not use the key server' });
  return { user: sessionUser(config, caller), realm, scheme, source };
}

/** Of a request to a route that requires authentication. */
export function principalIn(config: Realms, { caller, address }: Request): Principal {
  return principalOf(config, caller as Caller, address);
}

/** Realms, names of users and common names hold neither `:` nor `/`, so that the first of the two tells the form. */
function sessionUser({ realm: bare }: Realms, { realm, username, scheme }: Caller): string {
  if (scheme !== 'up') return `${realm}/${scheme}:${username}`;
  return bare !== '' && realm === bare ? username : `${realm}/${username}`;
}

function nameOf({ credential, username, origin }: Caller): string {
  if (credential === 'certificate') return normalName(username) ?? username;
  return credential === 'authorization' ? `jwt:${origin}/${username}` : `${origin}:${username}`;
}
