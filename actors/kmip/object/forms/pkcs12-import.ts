// Imports a PKCS#12 file: the private key is stored as PKCS#8, its public key and certificates as further objects (KMIP 1.4 sections 3.45 and 4.3).
import { createPublicKey } from 'node:crypto';
import { keyFacts } from '../../../../crypto/key/key-algorithm.ts';
import { type Pkcs12, readPkcs12 } from '../../../../crypto/pkcs12/pkcs12.ts';
import { certificateFacts } from '../../../../crypto/x509/certificate-facts.ts';
import { isTags, referenceTo } from '../../../../kmip/attribute/reference.ts';
import { checkAttribute } from '../../../../kmip/attribute/rules.ts';
import { AttributeSet } from '../../../../kmip/attribute/set.ts';
import { keyBlock, keyBlockOf, lacksKeyValue } from '../../../../kmip/key-block.ts';
import type { ObjectType as ObjectTypeCode } from '../../../../kmip/object-type.ts';
import { publicName } from '../../../../kmip/pair-name.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../../kmip/ttlv/mask.ts';
import { integer, type Node, type Structure, structure, text } from '../../../../kmip/ttlv/node.ts';
import { structureOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { OperationContext } from '../../operation-context.ts';
import { certificateUsage } from '../attributes/certificate-usage.ts';
import { takeAttribute } from '../attributes/new-attributes.ts';
import { linkPair, newObject, setLink } from '../create.ts';
import type { KeyKeeper } from '../key-keeper.ts';
import type { Draft } from '../managed-object.ts';
import { placeFor } from '../place.ts';
import { describeContent } from '../registered.ts';
import { certificateContent } from './certificate-content.ts';
import { isPasswordLink, passwordGiven } from './pkcs12-password.ts';

const { ObjectType } = ENUM;
const BIT = MASK.CryptographicUsageMask;

/** For each use of the certificate, the matching use of the private key. */
const PRIVATE_HALF: readonly (readonly [of: number, own: number])[] = [
  [BIT.Verify, BIT.Sign],
  [BIT.Encrypt, BIT.Decrypt],
  [BIT.WrapKey, BIT.UnwrapKey],
];

export interface BroughtFile {
  /** The private key alone. */
  readonly content: Structure;
  /** The request, with the attributes of the private key. */
  readonly request: Structure;
  /** The public key and the certificates, linked with the private key in both directions. */
  companions(privateKey: Draft): Draft[];
}

/** Undefined for any other content. @throws Refusal BadPassword, CryptographicFailure, InvalidField */
export async function fileIn(content: Structure, type: number, request: Structure, ctx: OperationContext): Promise<BroughtFile | undefined> {
  if (type !== ObjectType.PrivateKey || !structureOf(content, TAG.KeyBlock) || lacksKeyValue(content)) return undefined;
  const { format, material, wrapping } = keyBlockOf(content);
  if (format !== 'PKCS_12' || wrapping) return undefined;
  if (!(material instanceof Uint8Array)) throw new Refusal('InvalidMessage', 'KeyMaterial: a PKCS#12 file must be a ByteString');
  const given = AttributeSet.of(structureOf(request, TAG.Attributes));
  const wanted = given.first(TAG.PKCS_12FriendlyName)?.value;
  const { text: password, isKept } = await passwordGiven(given, ctx);
  const file = await ctx.aside(() => readPkcs12(material, password, typeof wanted === 'string' ? wanted : undefined));
  return {
    content: privateKey(file),
    request: structure(request.tag, [...request.value.filter(({ tag }) => tag !== TAG.Attributes), ownAttributes(given, file, isKept)]),
    companions: (key) => companionsOf(file, key, given, ctx),
  };
}

/**
 * Brings the public key of a file to where the private key is kept; certificates stay in the database.
 * @param keeper of the private key; undefined if the database keeps it
 * @param taken gets the identifiers of what was brought
 * @throws Refusal as `take` of the keeper
 */
export async function takeCompanions(ctx: OperationContext, keeper: KeyKeeper | undefined, companions: readonly Draft[], taken: string[]): Promise<void> {
  for (const { id, type, content, attributes } of companions) {
    if (!keeper || ctx.server.objects.sourceOf(id).keeper !== keeper) continue;
    await keeper.take(ctx, id, type, content as Structure, attributes);
    taken.push(id);
  }
}

function privateKey({ privateKey: key }: Pkcs12): Structure {
  const { algorithm, length } = keyFacts(key);
  return structure(TAG.PrivateKey, [keyBlock({ format: 'PKCS_8', material: new Uint8Array(key.export({ format: 'der', type: 'pkcs8' })), algorithm, length })]);
}

/** If the link holds the password itself instead of an identifier, it is not stored. */
function ownAttributes(given: AttributeSet, { friendlyName, certificates }: Pkcs12, isKept: boolean): Structure {
  const nodes: Node[] = given.nodes().filter((node) => node.tag !== TAG.KeyFormatType && (isKept || !isPasswordLink(node)));
  if (!given.has(TAG.PKCS_12FriendlyName) && friendlyName) nodes.push(text(TAG.PKCS_12FriendlyName, friendlyName));
  if (!given.has(TAG.CryptographicUsageMask)) {
    const uses = certificateUsage(certificateFacts(certificates[0] as Uint8Array), undefined);
    nodes.push(
      integer(
        TAG.CryptographicUsageMask,
        PRIVATE_HALF.reduce((mask, [of, own]) => (mask & of ? (mask & ~of) | own : mask), uses),
      ),
    );
  }
  return structure(TAG.Attributes, nodes);
}

function companionsOf({ privateKey: key, certificates }: Pkcs12, own: Draft, given: AttributeSet, ctx: OperationContext): Draft[] {
  const spki = new Uint8Array(createPublicKey(key).export({ format: 'der', type: 'spki' }));
  const { algorithm, length } = keyFacts(key);
  const uses = certificateUsage(certificateFacts(certificates[0] as Uint8Array), undefined);
  const make = (type: ObjectTypeCode, content: Structure, derived: string | undefined, ...more: readonly Node[]) => {
    const attributes = sharedAttributes(given, type);
    for (const node of more) attributes.set(node);
    describeContent(type, content, attributes, ctx.server.args.algorithms);
    return newObject(ctx, { place: placeFor(ctx, { type, derived }), type, content, attributes, brought: true });
  };
  const block = keyBlock({ format: 'X_509', material: spki, algorithm, length });
  const publicKey = make(ObjectType.PublicKey, structure(TAG.PublicKey, [block]), publicName(own.id), integer(TAG.CryptographicUsageMask, uses));
  // A token holds keys only.
  const certificateName = ctx.server.objects.sourceOf(own.id).keeper ? undefined : `${own.id}_cert`;
  const chain = certificates.map((der, at) => make(ObjectType.Certificate, certificateContent(der), at === 0 ? certificateName : undefined));
  const [leaf] = chain as [Draft, ...Draft[]];
  linkPair(own, publicKey);
  setLink(publicKey, 'CertificateLink', leaf.id);
  setLink(leaf, 'PublicKeyLink', publicKey.id);
  setLink(leaf, 'PrivateKeyLink', own.id);
  for (const [at, issuer] of chain.slice(1).entries()) setLink(chain[at] as Draft, 'CertificateLink', issuer.id);
  return [publicKey, ...chain];
}

const SHARED: ReadonlySet<number> = new Set([TAG.ActivationDate, TAG.DeactivationDate, TAG.ObjectGroup]);

/** The attributes that apply to the whole file: dates, groups and tags. */
function sharedAttributes(given: AttributeSet, type: ObjectTypeCode): AttributeSet {
  const attributes = new AttributeSet();
  for (const node of given.nodes()) if (SHARED.has(node.tag) || isTags(referenceTo(node))) takeAttribute(attributes, checkAttribute(node, type));
  return attributes;
}
