// Writes distribution points, access descriptions and name constraints of certificates (RFC 5280 sections 4.2.1.10, 4.2.1.13 and 4.2.2.1).
import { CryptoError } from '../crypto-error.ts';
import { context, element, namedBits, oid, sequence } from '../der.ts';
import type { Section } from './certificate-extension-text.ts';
import { addressBytes, addressFamily, writeGeneralName } from './general-name.ts';

/** Names of the bits, by number (RFC 5280 section 4.2.1.13). */
const REASONS: readonly string[] = [
  'unused',
  'keyCompromise',
  'CACompromise',
  'affiliationChanged',
  'superseded',
  'cessationOfOperation',
  'certificateHold',
  'privilegeWithdrawn',
  'AACompromise',
];
const REASONS_TAG = 0x81;

const ACCESS: Readonly<Record<string, string>> = { OCSP: '1.3.6.1.5.5.7.48.1', caIssuers: '1.3.6.1.5.5.7.48.2' };

const IP_NAME = 0x87;

const invalid = (why: string): CryptoError => new CryptoError('invalid', why);

/** Finds the numbers of bits by their names. @throws CryptoError invalid if there are no names, or for an unknown name */
export function numbersOf(values: readonly string[], names: readonly string[]): number[] {
  const numbers = values.map((value) => names.findIndex((name) => name.toLowerCase() === value.toLowerCase()));
  if (numbers.length === 0 || numbers.includes(-1)) throw invalid(`the value must be one or more of ${names.join(', ')}`);
  return numbers;
}

/** @throws CryptoError invalid if the text is not a dotted object identifier */
export function objectIdentifier(dotted: string): Buffer {
  if (!/^[0-2](\.\d{1,9}){1,20}$/.test(dotted)) throw invalid(`${JSON.stringify(dotted.slice(0, 64))} is neither a known name nor an object identifier`);
  const [first = 0, second = 0] = dotted.split('.').map(Number);
  if (first < 2 && second > 39) throw invalid(`${dotted} is not an object identifier: the number after ${first} must be less than 40`);
  return oid(dotted);
}

/** Each value is a point: `URI:http://...`, or the name of a section with fullname and reasons. */
export function distributionPoints(values: readonly string[], section: Section): Buffer {
  return sequence(...values.map((value) => (value.includes(':') ? point([value], undefined) : pointOf(value, section))));
}

const point = (names: readonly string[], reasons: readonly string[] | undefined): Buffer =>
  sequence(context(0, context(0, ...names.map(writeGeneralName))), ...(reasons === undefined ? [] : [namedBits(REASONS_TAG, numbersOf(reasons, REASONS))]));

function pointOf(name: string, section: Section): Buffer {
  let [names, reasons]: (readonly string[] | undefined)[] = [];
  for (const { key, value } of section(name)) {
    const values = value.split(',').map((each) => each.trim());
    if (key === 'fullname') names = values;
    else if (key === 'reasons') reasons = values;
    else throw invalid(`in [${name}] only fullname and reasons are supported, not ${JSON.stringify(key.slice(0, 64))}`);
  }
  if (names === undefined) throw invalid(`[${name}] has no fullname`);
  return point(names, reasons);
}

/** The values are `OCSP;URI:http://...` or `caIssuers;URI:http://...`, or have an object identifier before the semicolon. */
export function accessDescriptions(values: readonly string[]): Buffer {
  return sequence(
    ...values.map((value) => {
      const [, method = '', name = ''] = /^([\w.]+);(.+)$/.exec(value) ?? [];
      if (method === '') throw invalid('the value must be OCSP, caIssuers or an object identifier, then a semicolon and a name');
      return sequence(objectIdentifier(ACCESS[method] ?? method), writeGeneralName(name));
    }),
  );
}

/** The values are, for example, `permitted;DNS:example.org` and `excluded;IP:192.0.2.0/255.255.255.0`; the mask may also be `/24`. */
export function nameConstraints(values: readonly string[]): Buffer {
  const trees = { permitted: [] as Buffer[], excluded: [] as Buffer[] };
  for (const value of values) {
    const [, kind, name = ''] = /^(permitted|excluded);(.+)$/.exec(value) ?? [];
    if (kind === undefined) throw invalid('a constraint must be permitted; or excluded; followed by a name');
    trees[kind as keyof typeof trees].push(sequence(name.startsWith('IP:') ? network(name.slice(3)) : writeGeneralName(name)));
  }
  return sequence(...(['permitted', 'excluded'] as const).flatMap((kind, number) => (trees[kind].length === 0 ? [] : [context(number, ...trees[kind])])));
}

function network(text: string): Buffer {
  const [address = '', mask = ''] = text.split('/');
  const family = addressFamily(address);
  if (family === 0) throw invalid('IP: in a constraint must be an address, a slash, and a mask or the number of its bits');
  const bytes = addressBytes(address, family);
  return element(IP_NAME, bytes, addressFamily(mask) === family ? addressBytes(mask, family) : maskOf(mask, bytes.length * 8));
}

function maskOf(count: string, most: number): Buffer {
  const bits = /^\d{1,3}$/.test(count) ? Number(count) : most + 1;
  if (bits > most) throw invalid(`the mask of an IP: must belong to the family of the address, or be 0 to ${most} bits`);
  return Buffer.from(
    '1'
      .repeat(bits)
      .padEnd(most, '0')
      .match(/.{8}/g)
      ?.map((byte) => Number.parseInt(byte, 2)) ?? [],
  );
}
