// What trusted proxies say of the addresses of clients: which proxies are believed, and how their X-Forwarded-For is read.
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
