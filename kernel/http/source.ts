// Reduces an address to the source that limits count and the audit log records.
import { isIPv6 } from 'node:net';

/** @returns the IPv4 address, or the /64 network of an IPv6 address, because one client usually has a whole /64 */
export function sourceOf(address: string): string {
  // Nothing else has to be looked at for an IPv4 address, and this is asked in every request.
  if (!address.includes(':')) return address;
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail = ''] = (plain.split('%')[0] as string).split('::', 2) as [string, string | undefined];
  const front = head === '' ? [] : head.split(':');
  const back = tail === '' ? [] : tail.split(':');
  const groups = plain.includes('::') ? [...front, ...Array(Math.max(0, 8 - front.length - back.length)).fill('0'), ...back] : front;
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
