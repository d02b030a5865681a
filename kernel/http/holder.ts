// Whose share something counts against: the identity that was found, before that the address.
import type { Caller } from './credential.ts';
import { sourceOf } from './source.ts';

/** @param address of the peer, for whoever has not said who it is */
export function holderOf(caller: Caller | undefined, address: string): string {
  if (!caller) return `from ${sourceOf(address)}`;
  const { credential, realm, username, scheme, origin } = caller;
  return credential === 'certificate' ? certificateHolder(username) : `${realm}/${origin ?? scheme}:${username}`;
}

/** The same one on every front. */
export function certificateHolder(commonName: string): string {
  return `certificate ${commonName}`;
}
