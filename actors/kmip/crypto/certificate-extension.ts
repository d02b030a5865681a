// Certificate extensions from the text of OpenSSL's configuration, `key=value` in lines (RFC 5280 section 4.2, x509v3_config(5)).
import { Refusal } from '../refusal.ts';
import { boolean, contentOf, context, DER, element, inside, octets, oid, readElement, readOid, sequence, unsigned } from './der.ts';
import { writeGeneralName } from './general-name.ts';

export interface Extension {
  readonly oid: string;
  readonly critical: boolean;
  /** What the octet string of the extension holds. */
  readonly value: Buffer;
}

export const EXTENSION = Object.freeze({
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  issuerAltName: '2.5.29.18',
  basicConstraints: '2.5.29.19',
  certificatePolicies: '2.5.29.32',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
});

/** Bits by number, RFC 5280 section 4.2.1.3. */
export const KEY_USAGE: readonly string[] = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
];

const PURPOSE: Readonly<Record<string, string>> = {
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  codeSigning: '1.3.6.1.5.5.7.3.3',
  emailProtection: '1.3.6.1.5.5.7.3.4',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  OCSPSigning: '1.3.6.1.5.5.7.3.9',
};

/** What the identifiers of keys are made from. */
interface KeyIdentifiers {
  readonly subject: Buffer;
  readonly issuer: Buffer;
  /** Of the issuer's certificate: DER of the name of its issuer, and of its serial number. */
  readonly issuerCertificate?: { readonly issuer: Buffer; readonly serial: Buffer };
}

type Writer = (values: readonly string[], keys: KeyIdentifiers) => Buffer;

const refusal = (key: string): Refusal => new Refusal('InvalidField', `certificate extensions: ${key} cannot have this value`);

const WRITERS: Readonly<Record<string, Writer>> = {
  basicConstraints,
  keyUsage: (values) => usageBits(values.map((value) => KEY_USAGE.findIndex((name) => name.toLowerCase() === value.toLowerCase()))),
  extendedKeyUsage: (values) =>
    sequence(
      ...values.map((value) => {
        const dotted = PURPOSE[value] ?? value;
        if (!/^[0-2](\.\d{1,9}){1,20}$/.test(dotted)) throw refusal('extendedKeyUsage');
        return oid(dotted);
      }),
    ),
  subjectAltName: (values) => sequence(...values.map(writeGeneralName)),
  subjectKeyIdentifier: ([value = ''], { subject }) => {
    if (value === 'hash') return octets(subject);
    if (!/^([0-9a-fA-F]{2}:?){1,64}$/.test(value)) throw refusal('subjectKeyIdentifier');
    return octets(Buffer.from(value.replaceAll(':', ''), 'hex'));
  },
  authorityKeyIdentifier,
};

function basicConstraints(values: readonly string[]): Buffer {
  const parts: Buffer[] = [];
  for (const value of values) {
    const [, name, setting = ''] = /^(CA|pathlen):(\w+)$/i.exec(value) ?? [];
    const isCa = /^true$/i.test(setting);
    if (name?.toLowerCase() === 'ca' && (isCa || /^false$/i.test(setting))) parts.push(isCa ? boolean(true) : Buffer.alloc(0));
    else if (name?.toLowerCase() === 'pathlen' && /^\d{1,4}$/.test(setting)) parts.push(unsigned(BigInt(setting)));
    else throw refusal('basicConstraints');
  }
  return sequence(...parts.sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0)));
}

/** A bit string without the zero bits at its end, as DER wants of named bits. */
function usageBits(numbers: readonly number[]): Buffer {
  if (numbers.length === 0 || numbers.includes(-1)) throw refusal('keyUsage');
  const bytes = Buffer.alloc(Math.floor(Math.max(...numbers) / 8) + 1);
  for (const number of numbers) bytes[number >> 3] = (bytes[number >> 3] as number) | (0x80 >> (number & 7));
  return element(DER.bits, Buffer.of(7 - (Math.max(...numbers) & 7)), bytes);
}

/** The issuer and serial number are written where they are asked for and there is a certificate of the issuer. */
function authorityKeyIdentifier(values: readonly string[], { issuer, issuerCertificate }: KeyIdentifiers): Buffer {
  const asked = values.map((value) => value.replace(/:always$/, ''));
  if (asked.length === 0 || asked.some((value) => value !== 'keyid' && value !== 'issuer')) throw refusal('authorityKeyIdentifier');
  const keyid = asked.includes('keyid') ? [element(0x80, issuer)] : [];
  if (!asked.includes('issuer') || issuerCertificate === undefined) return sequence(...keyid);
  return sequence(...keyid, context(1, context(4, issuerCertificate.issuer)), element(0x82, issuerCertificate.serial));
}

/**
 * Sections, comments and empty lines are passed over.
 * @throws Refusal InvalidField for an unknown extension, one that comes twice, or a value it cannot have
 */
export function parseExtensions(text: string, keys: KeyIdentifiers): Extension[] {
  const extensions: Extension[] = [];
  for (const line of text.split(/\r?\n/).map((each) => each.replace(/#.*/, '').trim())) {
    if (line === '' || /^\[.*\]$/.test(line)) continue;
    const [, key = '', list = ''] = /^(\w+)\s*=\s*(.+)$/.exec(line) ?? [];
    const writer = Object.hasOwn(WRITERS, key) ? WRITERS[key] : undefined;
    if (writer === undefined) throw new Refusal('InvalidField', 'certificate extensions: a line is not one of the supported extensions');
    const values = list.split(',').map((value) => value.trim());
    const critical = values[0] === 'critical';
    const identifier = EXTENSION[key as keyof typeof EXTENSION];
    if (extensions.some((each) => each.oid === identifier)) throw refusal(key);
    extensions.push({ oid: identifier, critical, value: writer(critical ? values.slice(1) : values, keys) });
  }
  return extensions;
}

export const writeExtension = ({ oid: dotted, critical, value }: Extension): Buffer =>
  sequence(oid(dotted), ...(critical ? [boolean(true)] : []), octets(value));

/** @param der a SEQUENCE OF Extension. @throws Refusal InvalidField */
export function readExtensions(der: Uint8Array): Extension[] {
  const what = 'certificate extensions';
  const extensions = inside(readElement(der, what), DER.sequence, what).map((each) => {
    const [identifier, second, third] = inside(each, DER.sequence, what);
    const critical = second?.tag === DER.boolean && second.content[0] !== 0;
    return { oid: readOid(identifier, what), critical, value: contentOf(second?.tag === DER.boolean ? third : second, DER.octets, what) };
  });
  if (new Set(extensions.map((each) => each.oid)).size !== extensions.length) throw new Refusal('InvalidField', `${what}: one comes twice`);
  return extensions;
}
