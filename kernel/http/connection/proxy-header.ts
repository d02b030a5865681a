// Reads the header of the PROXY protocol, versions 1 and 2, by which a proxy that passes TLS through tells who the client is.
import { isIP } from 'node:net';

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

interface ProxyHeader {
  /** The client; undefined where the proxy speaks for itself (a health check) or does not know. */
  readonly client: Endpoint | undefined;
  /** Bytes of the header: those of the client follow. */
  readonly length: number;
}

/** `more`: the bytes so far may begin a header. `invalid`: they do not. */
export type ReadHeader = ProxyHeader | 'more' | 'invalid';

const TEXT = 'PROXY ';
/** With the line end (specification section 2.1). */
const MAX_TEXT_BYTES = 107;
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const BINARY_HEAD_BYTES = 16;
/** The addresses and what proxies add to them; one that is longer is refused before it is read. */
const MAX_BINARY_BYTES = BINARY_HEAD_BYTES + 2048;
const [LOCAL, PROXY] = [0x20, 0x21];
/** Family and transport, by which the addresses are read; both are TCP. */
const FAMILIES: Readonly<Record<number, { readonly bytes: number; read(bytes: Buffer): string }>> = {
  17: { bytes: 4, read: (bytes) => bytes.join('.') },
  33: { bytes: 16, read: (bytes) => Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(2 * at).toString(16)).join(':') },
};

/** @param bytes what has arrived so far @see the PROXY protocol, sections 2.1 and 2.2 */
export function readProxyHeader(bytes: Buffer): ReadHeader {
  if (isBeginning(bytes, SIGNATURE)) return bytes.length < BINARY_HEAD_BYTES ? 'more' : readBinary(bytes);
  return isBeginning(bytes, Buffer.from(TEXT)) ? readText(bytes) : 'invalid';
}

function isBeginning(bytes: Buffer, expected: Buffer): boolean {
  const length = Math.min(bytes.length, expected.length);
  return bytes.subarray(0, length).equals(expected.subarray(0, length));
}

function readText(bytes: Buffer): ReadHeader {
  const end = bytes.subarray(0, MAX_TEXT_BYTES).indexOf('\r\n');
  if (end === -1) return bytes.length < MAX_TEXT_BYTES ? 'more' : 'invalid';
  const [, family, source = '', destination = '', port = '', destinationPort = '', ...rest] = bytes.toString('latin1', 0, end).split(' ');
  const length = end + 2;
  if (family === 'UNKNOWN') return { client: undefined, length };
  const version = family === 'TCP4' ? 4 : family === 'TCP6' ? 6 : 0;
  const isSound = version > 0 && rest.length === 0 && [source, destination].every((each) => isIP(each) === version) && [port, destinationPort].every(isPort);
  return isSound ? { client: { address: source, port: Number(port) }, length } : 'invalid';
}

const isPort = (text: string): boolean => /^(0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535;

function readBinary(bytes: Buffer): ReadHeader {
  const [command, transport] = [bytes[12], bytes[13] as number];
  const length = BINARY_HEAD_BYTES + bytes.readUInt16BE(14);
  if ((command !== LOCAL && command !== PROXY) || length > MAX_BINARY_BYTES) return 'invalid';
  if (bytes.length < length) return 'more';
  const family = FAMILIES[transport];
  // What else the proxy passes on has no address of the internet: the specification says to use the real one.
  if (command === LOCAL || !family) return { client: undefined, length };
  const addresses = bytes.subarray(BINARY_HEAD_BYTES, length);
  if (addresses.length < 2 * family.bytes + 4) return 'invalid';
  return { client: { address: family.read(addresses.subarray(0, family.bytes)), port: addresses.readUInt16BE(2 * family.bytes) }, length };
}
