// The networks that logins of a role and uses of a token are bound to.
import { addressList, isListed } from '../../kernel/address-list.ts';

/** Lists of addresses and networks, each set by somebody and none empty: an address must be in every one. */
export type Bounds = readonly (readonly string[])[];

export function admits(bounds: Bounds, address: string): boolean {
  return bounds.every((list) => isListed(addressList(list), address));
}

/** Without the empty lists, which allow all. */
export function boundsOf(...lists: readonly (readonly string[])[]): Bounds {
  return lists.filter(({ length }) => length > 0);
}
