// Reduces an address to its plain form, and to the source that limits count and the audit log records.
import { isIPv4, isIPv6 } from 'node:net';

const GROUPS = 8;

/** @returns the IPv4 address, or the /64 network of an IPv6 address, because one client usually has a whole /64 */
export function sourceOf(address: string): string {
  // Nothing else has to be looked at for an IPv4 address, and this is asked in every request.
  if (!address.includes(':')) return address;
  const plain = plainAddress(address);
  return isIPv6(plain) ? `${groupsOf(plain).slice(0, 4).join(':')}::/64` : plain;
}

/** @returns the IPv4 address in its own form, where it is written as IPv6; every other text as it is */
export function plainAddress(address: string): string {
  // What sockets report of IPv4 clients where the server itself listens for both families.
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
  return /ffff:/i.test(plain) && isIPv6(plain) ? (ipv4In(groupsOf(plain)) ?? plain) : plain;
}

/** @param address IPv6 in any form of RFC 4291 section 2.2 @returns its eight groups, without leading zeros, in lower case */
function groupsOf(address: string): string[] {
  const [withoutZone = ''] = address.split('%');
  const [front = [], back = []] = withoutZone.split('::', 2).map((half) => half.split(':').flatMap(hexadecimal));
  return [...front, ...Array(Math.max(0, GROUPS - front.length - back.length)).fill('0'), ...back];
}

/** @param group or, at the end of an address, the form of IPv4, which stands for two */
function hexadecimal(group: string): string[] {
  if (group === '') return [];
  if (!isIPv4(group)) return [Number.parseInt(group, 16).toString(16)];
  const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
  return [a * 256 + b, c * 256 + d].map((each) => each.toString(16));
}

/**
 * IPv4 addresses mapped to IPv6 (RFC 4291 section 2.5.5.2), as proxies report them that listen for both families. All of them share one /64.
 * @returns undefined for every other address
 */
function ipv4In(groups: readonly string[]): string | undefined {
  if (groups.slice(0, 6).join() !== '0,0,0,0,0,ffff') return undefined;
  return groups
    .slice(6)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((two) => [two >> 8, two & 255])
    .join('.');
}
