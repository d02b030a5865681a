// Reads the Attributes of a Certify or Re-certify payload that shape the certificate itself (KMIP 2.1 sections 6.1.6 and 6.1.45).
import type { DistinguishedName, NameAttribute } from '../../../crypto/x509/distinguished-name.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { type Node, type Structure, structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { child, codeOf, structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { ISSUER_TAGS, SUBJECT_TAGS } from '../object/attributes/certificate-attributes.ts';

export interface CertificateWishes {
  /** Undefined if no part of a name is given. */
  readonly subject: DistinguishedName | undefined;
  /** In the syntax of an OpenSSL configuration. */
  readonly extensions: string | undefined;
  readonly validityDays: number | undefined;
  /** Links to the certificate and the private key of the issuer. */
  readonly issuerCertificate: Structure | undefined;
  readonly issuerKey: Structure | undefined;
  /** Attributes that describe the key, not the certificate. */
  readonly ofKey: readonly Node[];
  /** The payload with the attributes that the certificate object gets. */
  readonly request: Structure;
}

const OF_KEY: ReadonlySet<number> = new Set([TAG.CryptographicAlgorithm, TAG.CryptographicLength, TAG.CryptographicDomainParameters]);
const VENDOR_WISHES: ReadonlySet<string> = new Set(['x509-extension', 'requested_validity_days']);
const MAX_DAYS = 36_500;

/**
 * @param vendor the vendor identification whose attributes are wishes; attributes of `cosmian` always are
 * @throws Refusal InvalidField for a type other than X.509, or a malformed wish
 */
export function wishesOf(request: Structure, vendor: string): CertificateWishes {
  const given = structureOf(request, TAG.Attributes)?.value ?? [];
  if (given.some(({ tag, value }) => tag === TAG.CertificateType && value !== ENUM.CertificateType.X_509))
    throw new Refusal('InvalidField', 'only X.509 certificates are issued; leave out CertificateType or set it to X_509');
  const vendors = given.filter((node) => isVendorWish(node, vendor));
  const findNamed = (name: string) => vendors.find((node) => textOf(node as Structure, TAG.AttributeName) === name) as Structure | undefined;
  const findLink = (type: number) => given.find((node): node is Structure => isLink(node, type));
  const left = given.filter((node) => !vendors.includes(node) && !isWish(node));
  return {
    subject: subjectOf(given),
    extensions: extensionsIn(findNamed('x509-extension')),
    validityDays: daysIn(findNamed('requested_validity_days')),
    issuerCertificate: findLink(ENUM.LinkType.CertificateLink),
    issuerKey: findLink(ENUM.LinkType.PrivateKeyLink),
    ofKey: given.filter(({ tag }) => OF_KEY.has(tag) || tag === TAG.CryptographicUsageMask),
    request: structure(request.tag, [...request.value.filter(({ tag }) => tag !== TAG.Attributes), structure(TAG.Attributes, left)]),
  };
}

function isLink(node: Node, type: number): node is Structure {
  return node.tag === TAG.Link && node.type === TYPE.Structure && codeOf(node, TAG.LinkType) === type;
}

function isWish(node: Node): boolean {
  if (isLink(node, ENUM.LinkType.CertificateLink) || isLink(node, ENUM.LinkType.PrivateKeyLink)) return true;
  // The type and the issuer's names are set later, from the finished certificate.
  return (
    OF_KEY.has(node.tag) ||
    node.tag === TAG.CertificateType ||
    node.tag === TAG.CertificateAttributes ||
    SUBJECT_TAGS.has(node.tag) ||
    ISSUER_TAGS.has(node.tag)
  );
}

function isVendorWish(node: Node, vendor: string): boolean {
  if (node.tag !== TAG.Attribute || node.type !== TYPE.Structure) return false;
  const owner = textOf(node, TAG.VendorIdentification);
  return (owner === vendor || owner === 'cosmian') && VENDOR_WISHES.has(textOf(node, TAG.AttributeName) ?? '');
}

/** The parts are given next to the other attributes or in one structure; empty parts are ignored. */
function subjectOf(given: readonly Node[]): DistinguishedName | undefined {
  const name: Partial<Record<NameAttribute, string[]>> = {};
  const parts = given.flatMap((node) => (node.tag === TAG.CertificateAttributes && node.type === TYPE.Structure ? node.value : [node]));
  for (const { tag, value } of parts) {
    const attribute = SUBJECT_TAGS.get(tag);
    if (attribute === undefined || value === '') continue;
    if (typeof value !== 'string') throw new Refusal('InvalidField', `${attribute} of the certificate's subject must be a text string`);
    name[attribute] = [...(name[attribute] ?? []), value];
  }
  return Object.keys(name).length === 0 ? undefined : name;
}

function extensionsIn(attribute: Structure | undefined): string | undefined {
  const value = attribute && child(attribute, TAG.AttributeValue)?.value;
  if (value === undefined || typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  throw new Refusal('InvalidField', 'x509-extension must be a text string or a byte string');
}

function daysIn(attribute: Structure | undefined): number | undefined {
  const value = attribute && child(attribute, TAG.AttributeValue)?.value;
  if (value === undefined) return undefined;
  const text = String(value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value);
  const days = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isInteger(days) || days < 1 || days > MAX_DAYS) throw new Refusal('InvalidField', `requested_validity_days must be between 1 and ${MAX_DAYS}`);
  return days;
}

/** In seconds. */
export const DAY = 86_400;
