// Names the holder whose share a request counts against: the caller's identity or, before authentication, the address.
import { sourceOf } from '../connection/source.ts';
import type { Caller } from './credential.ts';

/** @param address of the peer; used when there is no caller */
export function holderOf(caller: Caller | undefined, address: string): string {
  if (!caller) return `from ${sourceOf(address)}`;
  let holder = holders.get(caller);
  if (holder === undefined) {
    holder = nameOf(caller);
    holders.set(caller, holder);
  }
  return holder;
}

/** Callers of sessions are the same object in every request, and a new text would have to be hashed again in every table. */
const holders = new WeakMap<Caller, string>();

function nameOf(caller: Caller): string {
  const { credential, realm, username, scheme, origin } = caller;
  return credential === 'certificate' ? certificateHolder(username) : `${realm}/${origin ?? scheme}:${username}`;
}

/** The holder of a client certificate, the same for HTTPS and for listeners. */
export function certificateHolder(commonName: string): string {
  return `certificate ${commonName}`;
}
