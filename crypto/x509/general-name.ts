// Reads and writes general names, the parts of subject alternative names (RFC 5280 section 4.2.1.6).
import { isIP, SocketAddress } from 'node:net';
import { CryptoError } from '../crypto-error.ts';
import { DER, type Element, element, readElement, readInside } from '../der.ts';

export interface GeneralName {
  readonly type: 'email' | 'DNS' | 'URI' | 'IP' | 'dirName';
  /** For dirName, the DER in hexadecimal. */
  readonly value: string;
}

const IA5 = { email: 0x81, DNS: 0x82, URI: 0x86 } as const;
const IP = 0x87;
const DIRECTORY = 0xa4;

/** @param text in OpenSSL's configuration format, such as `DNS:example.org` @throws CryptoError invalid */
export function writeGeneralName(text: string): Buffer {
  const [, type = '', value = ''] = /^(\w+):(.+)$/.exec(text) ?? [];
  const isPlain = /^[\x21-\x7e]+$/.test(value);
  if ((type === 'email' || type === 'DNS' || type === 'URI') && isPlain) return element(IA5[type], Buffer.from(value));
  const family = addressFamily(value);
  if (type === 'IP' && family !== 0) return element(IP, addressBytes(value, family));
  throw new CryptoError('invalid', 'a name must be email:, DNS:, URI: or IP: with a value');
}

/** As isIP, but a certificate has no place for a zone, as in `fe80::1%eth0`. */
export const addressFamily = (address: string): number => (address.includes('%') ? 0 : isIP(address));

/** @param family result of `addressFamily` */
export function addressBytes(address: string, family: number): Buffer {
  if (family === 4) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = dottedEnd(address).split('::');
  const groups = (part: string): number[] => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const [front, back] = [groups(head), groups(tail ?? '')];
  const all = [...front, ...new Array<number>(tail === undefined ? 0 : 8 - front.length - back.length).fill(0), ...back];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

/** Turns the dotted end of `::ffff:1.2.3.4` into two hexadecimal groups. */
function dottedEnd(address: string): string {
  return address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
}

/** Reads the kinds of names that KMIP's AlternativeName supports, and ignores others. @throws CryptoError invalid */
export function readGeneralNames(der: Uint8Array): GeneralName[] {
  const what = 'an alternative name';
  return readInside(readElement(der, what), DER.sequence, what).flatMap((each) => {
    const name = generalName(each);
    return name === undefined ? [] : [name];
  });
}

function generalName({ tag, content }: Element): GeneralName | undefined {
  for (const [type, code] of Object.entries(IA5)) if (tag === code) return { type: type as GeneralName['type'], value: content.toString('latin1') };
  if (tag === DIRECTORY) return { type: 'dirName', value: content.toString('hex') };
  if (tag !== IP || (content.length !== 4 && content.length !== 16)) return undefined;
  if (content.length === 4) return { type: 'IP', value: content.join('.') };
  const groups = (content.toString('hex').match(/.{4}/g) ?? []).join(':');
  return { type: 'IP', value: new SocketAddress({ address: groups, family: 'ipv6' }).address };
}
