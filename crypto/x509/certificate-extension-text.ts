// Parses certificate extensions in OpenSSL's configuration format: `key=value` lines, and the sections that they name (x509v3_config(5)).
import { CryptoError } from '../crypto-error.ts';
import { boolean, context, DER, element, namedBits, octets, sequence, unsigned } from '../der.ts';
import { EXTENSION, type Extension, KEY_USAGE } from './certificate-extension.ts';
import { accessDescriptions, distributionPoints, nameConstraints, numbersOf, objectIdentifier } from './certificate-points.ts';
import { certificatePolicies } from './certificate-policies.ts';
import { writeGeneralName } from './general-name.ts';

/** The input for subjectKeyIdentifier and authorityKeyIdentifier. */
interface KeyIdentifiers {
  readonly subject: Buffer;
  readonly issuer: Buffer;
  /** From the issuer's certificate: the DER of its own issuer's name, and the content of its serial number. */
  readonly issuerCertificate?: { readonly issuer: Buffer; readonly serial: Buffer };
}

/** One line of a section. */
export interface Setting {
  readonly key: string;
  readonly value: string;
}

/** Returns the lines of a section. @throws CryptoError invalid if there is no such section */
export type Section = (name: string) => readonly Setting[];

type Writer = (values: readonly string[], keys: KeyIdentifiers, section: Section) => Buffer;

const MAX_CHARACTERS = 65_536;
/** Maximum number of characters of a line that an error message quotes. */
const MAX_QUOTED = 200;
const WHAT = 'certificate extensions';

const PURPOSE: Readonly<Record<string, string>> = {
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  codeSigning: '1.3.6.1.5.5.7.3.3',
  emailProtection: '1.3.6.1.5.5.7.3.4',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  OCSPSigning: '1.3.6.1.5.5.7.3.9',
};

const refusal = (key: string): CryptoError => new CryptoError('invalid', `${key} cannot have this value`);

const WRITERS: Readonly<Partial<Record<keyof typeof EXTENSION, Writer>>> = {
  basicConstraints,
  keyUsage: (values) => namedBits(DER.bits, numbersOf(values, KEY_USAGE)),
  extendedKeyUsage: (values) => sequence(...values.map((value) => objectIdentifier(PURPOSE[value] ?? value))),
  subjectAltName: (values, _, section) => sequence(...values.flatMap((value) => namesOf(value, section)).map(alternativeName)),
  subjectKeyIdentifier: ([value = ''], { subject }) => {
    if (value === 'hash') return octets(subject);
    if (!/^([0-9a-fA-F]{2}:?){1,64}$/.test(value)) throw refusal('subjectKeyIdentifier');
    return octets(Buffer.from(value.replaceAll(':', ''), 'hex'));
  },
  authorityKeyIdentifier,
  crlDistributionPoints: (values, _, section) => distributionPoints(values, section),
  authorityInfoAccess: (values) => accessDescriptions(values),
  certificatePolicies: (values, _, section) => certificatePolicies(values, section),
  nameConstraints: (values) => nameConstraints(values),
};

/** Of `email:copy`, which elsewhere stands for the address in the subject, an address would be made that is none. */
function alternativeName(name: string): Buffer {
  if (name.startsWith('email:') && !/^email:[^@]+@[^@]+$/.test(name)) throw refusal('subjectAltName');
  return writeGeneralName(name);
}

/** Each part once, and a path length for an authority alone (RFC 5280 section 4.2.1.9). */
function basicConstraints(values: readonly string[]): Buffer {
  const given = new Map<string, string>();
  for (const value of values) {
    const [, name = '', setting = ''] = /^(CA|pathlen):(\w+)$/i.exec(value.toLowerCase()) ?? [];
    const isKnown = name === 'ca' ? /^(true|false)$/.test(setting) : /^\d{1,4}$/.test(setting);
    if (name === '' || !isKnown || given.has(name)) throw refusal('basicConstraints');
    given.set(name, setting);
  }
  const [isCa, length] = [given.get('ca') === 'true', given.get('pathlen')];
  if (length !== undefined && !isCa) throw new CryptoError('invalid', 'pathlen is for an authority: it needs CA:TRUE');
  return sequence(...(isCa ? [boolean(true)] : []), ...(length === undefined ? [] : [unsigned(BigInt(length))]));
}

/** Writes the issuer and serial number only if the text asks for them and the issuer's certificate is known. */
function authorityKeyIdentifier(values: readonly string[], { issuer, issuerCertificate }: KeyIdentifiers): Buffer {
  const asked = values.map((value) => value.replace(/:always$/, ''));
  if (asked.length === 0 || asked.some((value) => value !== 'keyid' && value !== 'issuer')) throw refusal('authorityKeyIdentifier');
  const keyid = asked.includes('keyid') ? [element(0x80, issuer)] : [];
  if (!asked.includes('issuer') || issuerCertificate === undefined) return sequence(...keyid);
  return sequence(...keyid, context(1, context(4, issuerCertificate.issuer)), element(0x82, issuerCertificate.serial));
}

/** `@alternative` means the names in the section `alternative`, such as `DNS.1 = example.org`. */
function namesOf(value: string, section: Section): string[] {
  if (!value.startsWith('@')) return [value];
  return section(value.slice(1)).map(({ key, value: name }) => `${key.replace(/\.\w+$/, '')}:${name}`);
}

/**
 * Ignores comments and empty lines. All sections that no value names count as one; their headers have no meaning.
 * @throws CryptoError invalid, which quotes the line, for an unknown extension, a repeated extension or an invalid value
 */
export function parseExtensions(text: string, keys: KeyIdentifiers): Extension[] {
  if (text.length > MAX_CHARACTERS) throw new CryptoError('invalid', `${WHAT}: the text is longer than ${MAX_CHARACTERS} characters`);
  const { own, section } = readSections(text);
  const extensions: Extension[] = [];
  for (const { line, key, value } of own())
    try {
      const extension = writeExtension(key, value, keys, section);
      if (extensions.some(({ oid }) => oid === extension.oid)) throw new CryptoError('invalid', `${key} must be given only once`);
      extensions.push(extension);
    } catch (error) {
      throw error instanceof CryptoError ? new CryptoError(error.code, `${WHAT}: ${JSON.stringify(line.slice(0, MAX_QUOTED))}: ${error.message}`) : error;
    }
  return extensions;
}

function writeExtension(key: string, list: string, keys: KeyIdentifiers, section: Section): Extension {
  const writer = Object.hasOwn(WRITERS, key) ? WRITERS[key as keyof typeof WRITERS] : undefined;
  if (writer === undefined) throw new CryptoError('invalid', `the line is not one of the supported extensions, which are ${Object.keys(WRITERS).join(', ')}`);
  const values = list.split(',').map((value) => value.trim());
  const critical = values[0] === 'critical';
  if (critical && values.length === 1 && key !== 'basicConstraints' && key !== 'keyUsage') throw new CryptoError('invalid', `${key} must have a value`);
  return { oid: EXTENSION[key as keyof typeof EXTENSION], critical, value: writer(critical ? values.slice(1) : values, keys, section) };
}

interface Line extends Setting {
  readonly line: string;
}

/** The values that name a section: those after an @, and the value of crlDistributionPoints if it is a single word. */
const NAMING = /(?:^|[,=]\s*)@([\w.-]+)/g;
const NAMING_POINTS = /^crlDistributionPoints\s*=\s*(?:critical\s*,\s*)?([\w.-]+)$/;

function readSections(text: string): { own(): readonly Line[]; section: Section } {
  const sections = new Map<string, Line[]>();
  const named = new Set<string>();
  let current = '';
  for (const line of text.split(/\r?\n/).map((each) => each.replace(/#.*/, '').trim())) {
    const header = /^\[\s*([^\]]*?)\s*\]$/.exec(line)?.[1];
    if (header !== undefined) current = header;
    if (line === '' || header !== undefined) continue;
    const [, key = '', value = ''] = /^([\w.]+)\s*=\s*(.+)$/.exec(line) ?? [];
    sections.set(current, [...(sections.get(current) ?? []), { line, key, value: /^"(.*)"$/.exec(value)?.[1] ?? value }]);
    for (const [, name = ''] of line.matchAll(NAMING)) named.add(name);
    const points = NAMING_POINTS.exec(line)?.[1];
    if (points !== undefined) named.add(points);
  }
  return {
    own: () => [...sections].flatMap(([name, lines]) => (named.has(name) ? [] : lines)),
    section(name) {
      const lines = sections.get(name);
      if (lines === undefined) throw new CryptoError('invalid', `there is no section [${name}]`);
      return lines;
    },
  };
}
