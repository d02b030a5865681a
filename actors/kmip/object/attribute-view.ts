// What a client sees of an object's attributes: the stored ones that its KMIP version defines, and those that the server computes.
import { hash } from 'node:crypto';
import { attributesOf } from '../../../kmip/attribute/rules.ts';
import type { AttributeValue } from '../../../kmip/attribute/set.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { boolean, bytes, enumeration, integer, interval, type Node, type Structure, TYPE, text } from '../../../kmip/ttlv/node.ts';
import { child, codeOf, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Version } from '../../../kmip/version.ts';
import type { Principal } from '../api.ts';
import type { OperationContext } from '../operation-context.ts';
import { digestsOf, isGuessable } from './attributes/digest.ts';
import { leaseSeconds } from './attributes/lease.ts';
import { flagOf } from './flag.ts';
import { hasState, stateAt } from './life/lifecycle.ts';
import { hasContent, type ObjectDescription } from './managed-object.ts';

/** Who reads the attributes, and when. An OperationContext fits. */
export interface Viewer {
  /** Seconds since the epoch. */
  readonly now: number;
  readonly version: Version;
  readonly caller: Pick<Principal, 'user'>;
}

/** All attributes that clients of this version may see, in the order of the table. */
export function viewAttributes(object: ObjectDescription, viewer: Viewer): Node[] {
  return viewValues(object, viewer).map(({ node }) => node);
}

/** As viewAttributes, with the index of each value. */
export function viewValues(object: ObjectDescription, viewer: Viewer): AttributeValue[] {
  const { version } = viewer;
  const computed = computedAttributes(object, viewer);
  const values: AttributeValue[] = [];
  for (const tag of attributesOf(version)) {
    const stored = object.attributes.all(tag);
    if (stored.length > 0) {
      for (const value of stored) if (version.major > 1 || isCustom(value)) values.push(value);
      continue;
    }
    let index = 0;
    for (const node of computed) if (node.tag === tag) values.push({ index: index++, node });
  }
  return values;
}

/** Clients of KMIP 1.x can name only the vendor attributes that they have set as custom attributes. */
function isCustom({ node }: AttributeValue): boolean {
  if (node.tag !== TAG.Attribute || node.type !== TYPE.Structure) return true;
  const vendor = child(node, TAG.VendorIdentification)?.value;
  return vendor === 'x' || vendor === 'y';
}

/** Values to show for attributes that are not stored. There may be several of Digest. */
function computedAttributes(object: ObjectDescription, { now, version, caller }: Viewer): Node[] {
  if (object.type === ENUM.ObjectType.Template) return [text(TAG.UniqueIdentifier, object.id), enumeration(TAG.ObjectType, object.type)];
  const content = hasContent(object) ? object.content : undefined;
  const sensitive = flagOf(object.attributes, TAG.Sensitive, false);
  const extractable = flagOf(object.attributes, TAG.Extractable, true);
  return [
    text(TAG.UniqueIdentifier, object.id),
    // Section 4.56: the SHA-256 of the identifier.
    bytes(TAG.ShortUniqueIdentifier, shortIdentifier(object)),
    enumeration(TAG.ObjectType, object.type),
    // Users, groups and credentials are no objects of the key server, so none of its objects is of the system.
    enumeration(TAG.ObjectClass, ENUM.ObjectClass.User),
    ...(hasState(object, version) ? [enumeration(TAG.State, stateAt(object, now))] : []),
    interval(TAG.LeaseTime, leaseSeconds(object)),
    boolean(TAG.Sensitive, sensitive),
    boolean(TAG.AlwaysSensitive, sensitive),
    boolean(TAG.Extractable, extractable),
    boolean(TAG.NeverExtractable, !extractable),
    boolean(TAG.Fresh, true),
    integer(TAG.ProtectionStorageMask, MASK.ProtectionStorageMask.Software),
    ...keyFormat(object, content),
    ...(content && isDigestOnDemand(object, caller.user) ? digestsOf(content, object.attributes) : []),
    ...kindOf(content),
  ];
}

/** Of the objects in memory: it is shown in every answer with all attributes. */
const shortIdentifiers = new WeakMap<ObjectDescription, Uint8Array>();

function shortIdentifier(object: ObjectDescription): Uint8Array {
  let short = shortIdentifiers.get(object);
  if (!short) {
    short = new Uint8Array(hash('sha256', object.id, 'buffer'));
    shortIdentifiers.set(object, short);
  }
  return short;
}

/**
 * Whether the server computes the Digest from the content when the owner asks for it. Such a digest is not stored, because users
 * who may read the attributes but not the content could guess a password from it.
 */
function isDigestOnDemand({ type, owner }: ObjectDescription, user: string): boolean {
  return owner === user && isGuessable(type);
}

/** After the key material is destroyed, the Digest still tells the format of the key. */
function keyFormat({ type, attributes }: ObjectDescription, content: Structure | undefined): Node[] {
  // Opaque objects of earlier versions of the server do not have it stored.
  if (type === ENUM.ObjectType.OpaqueObject) return [enumeration(TAG.KeyFormatType, ENUM.KeyFormatType.Opaque)];
  const block = content && structureOf(content, TAG.KeyBlock);
  const digest = attributes.first(TAG.Digest);
  if (content && codeOf(content, TAG.CertificateType) === ENUM.CertificateType.X_509) return [enumeration(TAG.KeyFormatType, ENUM.KeyFormatType.X_509)];
  const format = block ? codeOf(block, TAG.KeyFormatType) : digest?.type === TYPE.Structure ? codeOf(digest, TAG.KeyFormatType) : undefined;
  return format === undefined ? [] : [enumeration(TAG.KeyFormatType, format)];
}

/** The type of a certificate or of opaque data, which is stored in the object itself and not as an attribute. */
function kindOf(content: Structure | undefined): Node[] {
  return [TAG.CertificateType, TAG.OpaqueDataType].flatMap((tag) => {
    const code = content && codeOf(content, tag);
    return code === undefined ? [] : [enumeration(tag, code)];
  });
}

/** Reads the content only if the Digest has to be computed from it. */
export function withDigest(object: ObjectDescription, ctx: OperationContext): ObjectDescription | Promise<ObjectDescription> {
  return isDigestOnDemand(object, ctx.caller.user) ? ctx.byId(object.id, 'GetAttributes') : object;
}
