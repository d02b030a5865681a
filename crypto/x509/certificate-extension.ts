// Reads and writes the extensions of certificates and requests, and lists their object identifiers (RFC 5280 section 4.2).
import { CryptoError } from '../crypto-error.ts';
import { boolean, contentOf, DER, octets, oid, readElement, readInside, readOid, sequence } from '../der.ts';

export interface Extension {
  readonly oid: string;
  readonly critical: boolean;
  /** The content of the extension's octet string. */
  readonly value: Buffer;
}

export const EXTENSION = Object.freeze({
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  issuerAltName: '2.5.29.18',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  crlDistributionPoints: '2.5.29.31',
  certificatePolicies: '2.5.29.32',
  policyMappings: '2.5.29.33',
  authorityKeyIdentifier: '2.5.29.35',
  policyConstraints: '2.5.29.36',
  extendedKeyUsage: '2.5.29.37',
  inhibitAnyPolicy: '2.5.29.54',
  authorityInfoAccess: '1.3.6.1.5.5.7.1.1',
});

/** Names of the bits, by number (RFC 5280 section 4.2.1.3). */
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

export const writeExtension = ({ oid: dotted, critical, value }: Extension): Buffer =>
  sequence(oid(dotted), ...(critical ? [boolean(true)] : []), octets(value));

/** @param der a SEQUENCE OF Extension. @throws CryptoError invalid */
export function readExtensions(der: Uint8Array): Extension[] {
  const what = 'certificate extensions';
  const extensions = readInside(readElement(der, what), DER.sequence, what).map((each) => {
    const [identifier, second, third] = readInside(each, DER.sequence, what);
    const critical = second?.tag === DER.boolean && second.content[0] !== 0;
    return { oid: readOid(identifier, what), critical, value: contentOf(second?.tag === DER.boolean ? third : second, DER.octets, what) };
  });
  if (new Set(extensions.map((each) => each.oid)).size !== extensions.length) throw new CryptoError('invalid', `${what}: each must be given only once`);
  return extensions;
}
