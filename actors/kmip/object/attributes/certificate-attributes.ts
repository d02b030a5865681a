// Sets the attributes of a certificate object from the certificate itself (KMIP 2.1 sections 4.6 to 4.8, 4.22, 4.61 to 4.63; 1.0 sections 3.9 to 3.11).
import { type KeyObject, X509Certificate } from 'node:crypto';
import { isOfAlgorithm, keyFacts } from '../../../../crypto/key/key-algorithm.ts';
import { type CertificateFacts, type CertifiedName, certificateFacts } from '../../../../crypto/x509/certificate-facts.ts';
import type { NameAttribute } from '../../../../crypto/x509/distinguished-name.ts';
import type { GeneralName } from '../../../../crypto/x509/general-name.ts';
import { checkAttribute } from '../../../../kmip/attribute/rules.ts';
import { type AttributeSet, sameNode } from '../../../../kmip/attribute/set.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { tagName } from '../../../../kmip/ttlv/names.ts';
import { bytes, enumeration, integer, type Node, type Structure, structure, text } from '../../../../kmip/ttlv/node.ts';
import { bytesOf, codeOf, nameOf, required } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { certificateUsage } from './certificate-usage.ts';
import { givenAlgorithm, givenLength } from './new-attributes.ts';

const NAME_ATTRIBUTES = [
  'CN',
  'O',
  'OU',
  'Email',
  'C',
  'ST',
  'L',
  'UID',
  'SerialNumber',
  'Title',
  'DC',
  'DNQualifier',
] as const satisfies readonly NameAttribute[];

/** Attributes whose value is a text string: `CertificateSubjectCN` and so on. */
export const SUBJECT_TAGS: ReadonlyMap<number, NameAttribute> = new Map(NAME_ATTRIBUTES.map((name) => [TAG[`CertificateSubject${name}`], name]));
export const ISSUER_TAGS: ReadonlyMap<number, NameAttribute> = new Map(NAME_ATTRIBUTES.map((name) => [TAG[`CertificateIssuer${name}`], name]));

/** All attributes that are read from the certificate. They are removed first, so that none of an earlier certificate remains. */
const DESCRIBED: readonly number[] = [
  TAG.CertificateType,
  TAG.CertificateLength,
  TAG.KeyFormatType,
  TAG.DigitalSignatureAlgorithm,
  TAG.X_509CertificateIdentifier,
  TAG.X_509CertificateSubject,
  TAG.X_509CertificateIssuer,
  TAG.CertificateIdentifier,
  TAG.CertificateSubject,
  TAG.CertificateIssuer,
  ...SUBJECT_TAGS.keys(),
  ...ISSUER_TAGS.keys(),
];

/**
 * @param content a Certificate structure; for a PGP certificate, only the type and the length are set
 * @param ofKey the usage mask of its public key, if this server has the key; the certificate gets it if nothing else states its uses
 * @throws Refusal InvalidField for data that is not a certificate, or a certificate that contradicts the attributes; InvalidMessage for a malformed
 * structure
 */
export function describeCertificate(content: Structure, attributes: AttributeSet, ofKey?: number): void {
  const type = required(codeOf(content, TAG.CertificateType), TAG.CertificateType);
  const value = required(bytesOf(content, TAG.CertificateValue), TAG.CertificateValue);
  const given = attributes.first(TAG.CertificateType);
  if (given !== undefined && given.value !== type)
    throw new Refusal('InvalidField', `the certificate is of type ${nameOf('CertificateType', type)}, but the attribute CertificateType differs`);
  for (const tag of DESCRIBED) attributes.remove(tag);
  attributes.set(enumeration(TAG.CertificateType, type));
  attributes.set(integer(TAG.CertificateLength, value.length));
  if (type !== ENUM.CertificateType.X_509) return;
  const facts = certificateFacts(value);
  attributes.set(enumeration(TAG.KeyFormatType, ENUM.KeyFormatType.X_509));
  if (!attributes.has(TAG.CryptographicUsageMask)) attributes.set(integer(TAG.CryptographicUsageMask, certificateUsage(facts, ofKey)));
  describeKey(facts, attributes);
  describeNames(facts, attributes);
  describeForOldClients(value, facts, attributes);
}

/** What Register has to say of a certificate, although the server reads it (1.4 table 171, 2.1 section 6.1.43). */
const TOLD: ReadonlySet<number> = new Set([TAG.CertificateLength, TAG.DigitalSignatureAlgorithm]);

export const isToldOfCertificate = ({ tag }: Node): boolean => TOLD.has(tag);

/** @param told in the request @param attributes as described @throws Refusal InvalidField if they are not those of the certificate */
export function requireTold(told: readonly Node[], attributes: AttributeSet): void {
  for (const node of told) {
    const checked = checkAttribute(node, ENUM.ObjectType.Certificate);
    // Nothing is read from a certificate of PGP but its length.
    const known = attributes.first(node.tag) ?? checked;
    if (!sameNode(known, checked)) throw new Refusal('InvalidField', `the attribute ${tagName(node.tag)} differs from the certificate`);
    attributes.set(known);
  }
}

function describeKey({ publicKey, signatureAlgorithm }: CertificateFacts, attributes: AttributeSet): void {
  describePublicKey('certificate', publicKey, attributes);
  if (signatureAlgorithm !== undefined) attributes.set(enumeration(TAG.DigitalSignatureAlgorithm, ENUM.DigitalSignatureAlgorithm[signatureAlgorithm]));
}

/** @param what holds the key @throws Refusal InvalidField if the attributes say that it is for another key */
export function describePublicKey(what: 'certificate' | 'certificate request', publicKey: KeyObject, attributes: AttributeSet): void {
  const facts = keyFacts(publicKey);
  const algorithm = givenAlgorithm(attributes) ?? facts.algorithm;
  if (!isOfAlgorithm(facts, algorithm))
    throw new Refusal('InvalidField', `the ${what} is for a key of ${facts.algorithm}, but the attribute says ${algorithm}`);
  const length = givenLength(attributes) ?? facts.length;
  if (length !== facts.length) throw new Refusal('InvalidField', `the ${what} is for a key of ${facts.length} bits, but the attribute says ${length}`);
  attributes.set(enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm[algorithm]));
  attributes.set(integer(TAG.CryptographicLength, length));
}

function describeNames({ subject, issuer, serialNumberDer }: CertificateFacts, attributes: AttributeSet): void {
  for (const [tags, name] of [
    [SUBJECT_TAGS, subject],
    [ISSUER_TAGS, issuer],
  ] as const)
    for (const [tag, attribute] of tags) for (const value of name.attributes[attribute] ?? []) attributes.add(text(tag, value));
  const issuerName = bytes(TAG.IssuerDistinguishedName, issuer.der);
  attributes.set(structure(TAG.X_509CertificateIdentifier, [issuerName, bytes(TAG.CertificateSerialNumber, serialNumberDer)]));
  attributes.set(structure(TAG.X_509CertificateIssuer, [issuerName, ...alternativeNames(TAG.IssuerAlternativeName, issuer)]));
  const subjectName = bytes(TAG.SubjectDistinguishedName, isEmpty(subject) ? new Uint8Array() : subject.der);
  attributes.set(structure(TAG.X_509CertificateSubject, [subjectName, ...alternativeNames(TAG.SubjectAlternativeName, subject)]));
}

/** An empty DER sequence has two bytes; the attribute is an empty string then. */
const isEmpty = ({ der }: CertifiedName): boolean => der.length === 2;

const alternativeNames = (tag: number, { alternativeNames: names }: CertifiedName) => names.map((name) => bytes(tag, plain(name)));

const plain = ({ type, value }: GeneralName): Buffer => Buffer.from(value, type === 'dirName' ? 'hex' : 'utf8');

/** KMIP 1.x has the same facts as texts. */
function describeForOldClients(der: Uint8Array, { serialNumber, subject, issuer }: CertificateFacts, attributes: AttributeSet): void {
  const names = namesOf(der);
  const alternative = (tag: number, { alternativeNames: all }: CertifiedName) => all.map(({ value }) => text(tag, value));
  // As a number and not as DER: without the leading zero byte for the sign.
  const serial = serialNumber
    .toString('hex')
    .toUpperCase()
    .replace(/^00(?=.)/, '');
  attributes.set(structure(TAG.CertificateIdentifier, [text(TAG.Issuer, names.issuer), text(TAG.SerialNumber, serial)]));
  attributes.set(
    structure(TAG.CertificateSubject, [
      text(TAG.CertificateSubjectDistinguishedName, names.subject),
      ...alternative(TAG.CertificateSubjectAlternativeName, subject),
    ]),
  );
  attributes.set(
    structure(TAG.CertificateIssuer, [
      text(TAG.CertificateIssuerDistinguishedName, names.issuer),
      ...alternative(TAG.CertificateIssuerAlternativeName, issuer),
    ]),
  );
}

/** Names as RFC 4514 writes them. @throws Refusal InvalidField if OpenSSL cannot parse the certificate */
function namesOf(der: Uint8Array): { readonly subject: string; readonly issuer: string } {
  try {
    const { subject, issuer } = new X509Certificate(der);
    return { subject: inOneLine(subject), issuer: inOneLine(issuer) };
  } catch (cause) {
    throw new Refusal('InvalidField', 'the certificate is malformed', cause);
  }
}

/**
 * OpenSSL returns one line for each part, in the order of the certificate, with control characters escaped.
 * The name is undefined if it is empty.
 */
function inOneLine(name: string | undefined): string {
  return (name ?? '').split('\n').reverse().join(',');
}
