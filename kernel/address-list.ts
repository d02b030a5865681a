// Lists of addresses and networks, as the configuration names proxies and who may read metrics.
import { BlockList, isIP } from 'node:net';
import { plainAddress } from './http/connection/source.ts';

/** One for each family: a network of IPv6 such as ::/0 has no IPv4 address in it, which BlockList would find there as ::ffff:a.b.c.d. */
export type AddressList = Readonly<Record<Family, BlockList>>;
type Family = 'ipv4' | 'ipv6';

/** Of an address. */
const BITS = { ipv4: 32, ipv6: 128 };
/** Of the network of IPv4 addresses that are written as IPv6 (RFC 4291 section 2.5.5.2). */
const MAPPED_BITS = 96;

/** @throws Error naming an entry that is neither an address nor a network */
export function addressList(entries: readonly string[]): AddressList {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const entry of entries) {
    const [given, prefix, ...more] = entry.split('/') as [string, string | undefined];
    const family = familyOf(given);
    if (!isIP(given) || more.length > 0 || (prefix !== undefined && !(/^\d{1,3}$/.test(prefix) && Number(prefix) <= BITS[family])))
      throw new Error(`${entry}: must be an IP address or a network such as 10.0.0.0/8`);
    const bits = prefix === undefined ? BITS[family] : Number(prefix);
    const plain = plainAddress(given);
    if (familyOf(plain) !== family && bits >= MAPPED_BITS) lists.ipv4.addSubnet(plain, bits - MAPPED_BITS, 'ipv4');
    else lists[family].addSubnet(given, bits, family);
  }
  return lists;
}

const familyOf = (address: string): Family => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** @param address as a socket or a proxy tells it, also an IPv4 address written as IPv6 */
export function isListed(lists: AddressList, address: string): boolean {
  const plain = plainAddress(address);
  const family = familyOf(plain);
  return isIP(plain) !== 0 && lists[family].check(plain, family);
}
