// What proxies say of the addresses of clients: which proxies are believed, how their X-Forwarded-For is read, and what tells of others.
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { addressList, isListed } from '../../address-list.ts';

/** Some proxies write the port of the client too, which differs from connection to connection: 192.0.2.1:50000, [2001:db8::1]:50000. */
const WITH_PORT = /^(?:\[([0-9A-Fa-f:.]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/;

/**
 * For what is no address, as proxies write it themselves (`unknown`, RFC 7239 section 6.2) or pass it on from a client. Every other text would be a source
 * of its own, of any length, and `*` the one that stands for all.
 */
const NO_ADDRESS = 'unknown';

/** @returns for Fastify: which addresses are of proxies; false if there are none */
export function trustedProxies(entries: readonly string[]): false | ((address: string | undefined) => boolean) {
  if (entries.length === 0) return false;
  const list = addressList(entries);
  return (address) => address !== undefined && isListed(list, address);
}

/** @param header X-Forwarded-For @returns the same with addresses as sockets tell them, so that one client is one source */
export function withoutPorts(header: string): string {
  return header
    .split(',')
    .map((entry) => bare(entry.trim()))
    .join(', ');
}

function bare(entry: string): string {
  const [, inBrackets, beforePort] = WITH_PORT.exec(entry) ?? [];
  const address = inBrackets ?? beforePort ?? entry;
  return entry === '' || isIP(address) !== 0 ? address : NO_ADDRESS;
}

/** What proxies add, mostly without being told to, and clients do not send. */
const OF_PROXIES = ['x-forwarded-for', 'forwarded', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'] as const;

const LOOPBACK = ['127.0.0.0/8', '::1'];
const HERE = addressList(LOOPBACK);
/** Where proxies are: addresses of no client in the internet, which could have itself named in the log. */
const NEAR = addressList([...LOOPBACK, '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7', 'fe80::/10']);

/** @returns whether a proxy has passed the request on, which may come from anywhere then */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return OF_PROXIES.some((name) => headers[name] !== undefined);
}

/** Why the clients of a proxy cannot be told apart: it is not trusted, or does not say whose request it is. */
export type ProxyTrouble = 'unnamed' | 'silent';

/**
 * All clients of such a proxy share its address, and with it its limits and locks: who made it so does not see that.
 * @param entries `[http] trusted_proxies` @returns tells of the first request with each trouble
 */
export function watchProxies(
  entries: readonly string[],
  tell: (address: string, trouble: ProxyTrouble) => void,
): (headers: IncomingHttpHeaders, address: string) => void {
  const named = addressList(entries);
  const told = new Set<ProxyTrouble>();
  return (headers, address) => {
    if (told.size === 2 || !isForwarded(headers)) return;
    const isClientTold = headers['x-forwarded-for'] !== undefined;
    const isNamed = isListed(named, address);
    const trouble = isNamed ? 'silent' : 'unnamed';
    if (told.has(trouble) || (isNamed ? isClientTold : !isListed(isClientTold ? NEAR : HERE, address))) return;
    told.add(trouble);
    tell(address, trouble);
  };
}
