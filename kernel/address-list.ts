// Lists of addresses and networks, as the configuration names proxies and who may read metrics.
import { BlockList, isIP } from 'node:net';

/** Of an address. */
const BITS = { ipv4: 32, ipv6: 128 };

/** @throws Error naming an entry that is neither an address nor a network */
export function addressList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address, prefix, ...more] = entry.split('/') as [string, string | undefined];
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (!isIP(address) || more.length > 0 || (prefix !== undefined && !(/^\d{1,3}$/.test(prefix) && Number(prefix) <= BITS[family])))
      throw new Error(`${entry}: must be an IP address or a network such as 10.0.0.0/8`);
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** @param address as a socket tells it, also an IPv4 address written as IPv6 */
export function isListed(list: BlockList, address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
  return isIP(plain) !== 0 && list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}
