// Reads and writes distinguished names, with the names of KMIP's certificate attributes (RFC 5280 section 4.1.2.4, KMIP 2.1 section 4.6).
import { CryptoError } from '../crypto-error.ts';
import { contentOf, DER, type Element, element, oid, readElement, readInside, readOid, sequence } from '../der.ts';

/** The last part of KMIP's attribute names, such as CertificateSubjectCN or CertificateIssuerDNQualifier. */
export type NameAttribute = 'CN' | 'O' | 'OU' | 'Email' | 'C' | 'ST' | 'L' | 'UID' | 'SerialNumber' | 'Title' | 'DC' | 'DNQualifier';

/** The values of each attribute, in the order of the name; most attributes have one value. */
export type DistinguishedName = Readonly<Partial<Record<NameAttribute, readonly string[]>>>;

/** Attributes in the order in which we write them, with their string type and the maximum length of RFC 5280 appendix A.1. */
const ATTRIBUTES: readonly (readonly [NameAttribute, string, number, number])[] = [
  ['DC', '0.9.2342.19200300.100.1.25', DER.ia5, 255],
  ['C', '2.5.4.6', DER.printable, 2],
  ['ST', '2.5.4.8', DER.utf8, 128],
  ['L', '2.5.4.7', DER.utf8, 128],
  ['O', '2.5.4.10', DER.utf8, 64],
  ['OU', '2.5.4.11', DER.utf8, 64],
  ['Title', '2.5.4.12', DER.utf8, 64],
  ['CN', '2.5.4.3', DER.utf8, 64],
  ['UID', '0.9.2342.19200300.100.1.1', DER.utf8, 255],
  ['SerialNumber', '2.5.4.5', DER.printable, 64],
  ['DNQualifier', '2.5.4.46', DER.printable, 64],
  ['Email', '1.2.840.113549.1.9.1', DER.ia5, 255],
];

const BY_OID: ReadonlyMap<string, NameAttribute> = new Map(ATTRIBUTES.map(([name, dotted]) => [dotted, name]));

const ALLOWED: Readonly<Record<number, RegExp>> = {
  [DER.printable]: /^[A-Za-z0-9 '()+,\-./:=?]*$/,
  [DER.ia5]: /^[\x20-\x7e]*$/,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: attackers put zero bytes into names
  [DER.utf8]: /^[^\x00]*$/u,
};

/** The types of a text in a name; values of others are compared byte by byte. */
const STRINGS: readonly number[] = [DER.utf8, DER.printable, DER.teletex, DER.ia5, DER.universal, DER.bmp];

/** Returns the DER of the name, without empty values. @throws CryptoError invalid for a value that its attribute cannot have */
export function writeName(name: DistinguishedName): Buffer {
  const parts = ATTRIBUTES.flatMap(([attribute, dotted, tag, bound]) =>
    (name[attribute] ?? [])
      .filter((value) => value !== '')
      .map((value) => {
        if ([...value].length > bound || !ALLOWED[tag]?.test(value))
          throw new CryptoError('invalid', `the certificate attribute ${attribute} cannot have this value`);
        return element(DER.set, sequence(oid(dotted), element(tag, Buffer.from(value))));
      }),
  );
  return sequence(...parts);
}

/**
 * The name as text, `CN=leaf,O=ACME`, with the last part first (RFC 4514). Contains only the attributes that KMIP knows.
 * @throws CryptoError invalid if `der` is not a name
 */
export function nameText(der: Uint8Array): string {
  return Object.entries(readName(der))
    .flatMap(([attribute, values]) => values.map((value) => `${attribute}=${escapeValue(value)}`))
    .reverse()
    .join(',');
}

const escapeValue = (value: string): string => value.replaceAll(/[,+"\\<>;]|^[# ]| $/g, '\\$&').replaceAll('\0', '\\00');

/** Reads the attributes that KMIP knows, and ignores others. @throws CryptoError invalid if `der` is not a name */
export function readName(der: Uint8Array): DistinguishedName {
  const what = 'a distinguished name';
  const name: Partial<Record<NameAttribute, string[]>> = {};
  for (const set of readInside(readElement(der, what), DER.sequence, what)) {
    for (const pair of readInside(set, DER.set, what)) {
      const [type, value] = readInside(pair, DER.sequence, what);
      const attribute = BY_OID.get(readOid(type, what));
      if (attribute === undefined || value === undefined) continue;
      name[attribute] = [...(name[attribute] ?? []), textOf(value)];
    }
  }
  return name;
}

/**
 * The parts of a name, from the first on, each as a text that equals that of another way to write the same part: other
 * string types, letter cases and spaces (RFC 5280 section 7.1). @throws CryptoError invalid if `der` is not a name
 */
export function comparableName(der: Uint8Array): string[] {
  const what = 'a distinguished name';
  return readInside(readElement(der, what), DER.sequence, what).map((set) => JSON.stringify(readInside(set, DER.set, what).map(comparablePair).sort()));
}

/** The names that were compared already: of a chain, each name is compared with all others. */
const compared = new WeakMap<Buffer, string>();

/** Whether two names in DER are the same name, however each is written. @throws CryptoError invalid for names that are not well-formed */
export const isSameName = (one: Buffer, other: Buffer): boolean => one.equals(other) || wholeOf(one) === wholeOf(other);

function wholeOf(der: Buffer): string {
  const whole = compared.get(der) ?? JSON.stringify(comparableName(der));
  compared.set(der, whole);
  return whole;
}

function comparablePair(pair: Element): string {
  const [type, value] = readInside(pair, DER.sequence, 'a distinguished name');
  if (value === undefined) throw new CryptoError('invalid', 'a distinguished name is not well-formed DER');
  const text = STRINGS.includes(value.tag) ? textOf(value).normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim() : value.whole.toString('hex');
  return JSON.stringify([readOid(type, 'a distinguished name'), text]);
}

/** The text of any string type of a DirectoryString. */
function textOf(value: Element): string {
  const content = contentOf(value, value.tag, 'a distinguished name');
  if (value.tag === DER.bmp)
    return Buffer.from(content.subarray(0, content.length & ~1))
      .swap16()
      .toString('utf16le');
  if (value.tag === DER.universal) return universalText(content);
  return content.toString(value.tag === DER.teletex ? 'latin1' : 'utf8');
}

/** Four bytes for each code point. @throws CryptoError invalid for what is none */
function universalText(content: Buffer): string {
  const points = Array.from({ length: Math.ceil(content.length / 4) }, (_, at) => content.subarray(at * 4, at * 4 + 4));
  const codes = points.map((each) => (each.length === 4 ? each.readUInt32BE() : Number.POSITIVE_INFINITY));
  if (codes.some((code) => code > 0x10ffff || (code >= 0xd800 && code < 0xe000)))
    throw new CryptoError('invalid', 'a distinguished name has a malformed UniversalString');
  return codes.map((code) => String.fromCodePoint(code)).join('');
}
