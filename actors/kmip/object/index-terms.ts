// What of an object's attributes is indexed, and the form in which two equal values are equal texts.
import { createHash } from 'node:crypto';
import { isTags, referenceTo } from '../../../kmip/attribute/reference.ts';
import type { ReadonlyAttributes } from '../../../kmip/attribute/set.ts';
import { parseTags } from '../../../kmip/tags.ts';
import { encodeBinary } from '../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { type Node, structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { hasContent, type ManagedObject, type ObjectDescription } from './managed-object.ts';
import { wrapperOf } from './wrapping-policy.ts';

export interface IndexTerm {
  readonly tag: number;
  readonly value: string;
}

/** Characters of an indexed text; the entries of an index have 2700 bytes in PostgreSQL, the owner among them. */
const MAX_TERM_CHARACTERS = 160;

/** Change often, or are compared by range: these are looked at in the objects themselves. */
const UNINDEXED: ReadonlySet<number> = new Set([
  TAG.Digest,
  TAG.LastChangeDate,
  TAG.InitialDate,
  TAG.OriginalCreationDate,
  TAG.ActivationDate,
  TAG.DeactivationDate,
  TAG.ProcessStartDate,
  TAG.ProtectStopDate,
  TAG.DestroyDate,
  TAG.CompromiseDate,
  TAG.CompromiseOccurrenceDate,
  TAG.ArchiveDate,
  TAG.UsageLimits,
  TAG.CryptographicUsageMask,
  TAG.RotateName,
]);

export const isIndexed = (node: Node): boolean => !UNINDEXED.has(node.tag) && node.type !== TYPE.DateTime && !isPartial(node);

/** A structure that may name only a part of what it is to be compared with. */
function isPartial(node: Node): boolean {
  if (node.type !== TYPE.Structure) return false;
  if (node.tag === TAG.Name) return node.value.length < 2;
  if (node.tag === TAG.Link) return node.value.length < 2;
  if (node.tag === TAG.ApplicationSpecificInformation) return node.value.length < 2;
  if (node.tag === TAG.Attribute) return node.value.length < 3;
  return true;
}

/** Short, and equal exactly where the nodes are; the order of members means nothing. */
export function termOf(node: Node): IndexTerm {
  const ordered =
    node.type === TYPE.Structure
      ? structure(
          node.tag,
          node.value.toSorted((a, b) => a.tag - b.tag),
        )
      : node;
  return { tag: node.tag, value: createHash('sha256').update(encodeBinary(ordered)).digest('base64url').slice(0, 22) };
}

/** A text of a client as it is, unless it is longer than what PostgreSQL puts into an index. */
function short(value: string): string {
  return value.length <= MAX_TERM_CHARACTERS ? value : `#${createHash('sha256').update(value).digest('base64url')}`;
}

/** A tag that users give an object, or a system tag of its kind. */
export function tagTerm(tag: string): IndexTerm {
  return { tag: TAG.Tag, value: short(tag) };
}

/** Membership of a keyset. */
export function keysetTerm(name: string): IndexTerm {
  return { tag: TAG.RotateName, value: short(name) };
}

/** The name of the keyset that an object is a generation of: RotateName, a structure in the specification, a text with some clients. */
export function keysetOf({ attributes }: { readonly attributes: ReadonlyAttributes }): string | undefined {
  const node = attributes.first(TAG.RotateName);
  if (node?.type === TYPE.TextString) return node.value;
  return node?.type === TYPE.Structure ? textOf(node, TAG.RotateNameValue) : undefined;
}

/** Being stored or given out wrapped by this key. */
export function wrappingTerm(id: string): IndexTerm {
  return { tag: TAG.KeyWrappingData, value: short(id) };
}

function wrapperIdOf({ content }: ManagedObject): string | undefined {
  const block = content && structureOf(content, TAG.KeyBlock);
  const wrapping = block && structureOf(block, TAG.KeyWrappingData);
  const information = wrapping && structureOf(wrapping, TAG.EncryptionKeyInformation);
  return information && textOf(information, TAG.UniqueIdentifier);
}

/** The key that an object is stored or given out wrapped by, as far as it was read. */
export function wrappingKeyOf(object: ObjectDescription): string | undefined {
  return (hasContent(object) ? wrapperIdOf(object) : undefined) ?? wrapperOf(object);
}

/** Of a content that was not read, nothing is told. */
export function indexTerms(object: ObjectDescription): IndexTerm[] {
  const terms = new Map<string, IndexTerm>();
  const add = (term: IndexTerm) => terms.set(`${term.tag} ${term.value}`, term);
  for (const node of object.attributes.nodes()) if (isIndexed(node)) add(termOf(node));
  for (const tag of tagsOf(object)) add(tagTerm(tag));
  const keyset = keysetOf(object);
  if (keyset !== undefined) add(keysetTerm(keyset));
  const wrapper = wrappingKeyOf(object);
  if (wrapper !== undefined) add(wrappingTerm(wrapper));
  return [...terms.values()];
}

const SYSTEM_TAG: Readonly<Record<number, string>> = {
  [ENUM.ObjectType.SymmetricKey]: '_kk',
  [ENUM.ObjectType.PrivateKey]: '_sk',
  [ENUM.ObjectType.PublicKey]: '_pk',
  [ENUM.ObjectType.Certificate]: '_cert',
  [ENUM.ObjectType.SecretData]: '_sd',
  [ENUM.ObjectType.OpaqueObject]: '_oo',
};

/** Tags: the vendor attribute `tag`, a JSON array of texts, and the system tag of the kind of object. */
export function tagsOf(object: ObjectDescription): string[] {
  const system = SYSTEM_TAG[object.type];
  return [...userTags(object), ...(system === undefined ? [] : [system])];
}

export function userTags(object: ObjectDescription): string[] {
  for (const { node } of object.attributes.all(TAG.Attribute)) {
    if (node.type !== TYPE.Structure || !isTags(referenceTo(node))) continue;
    return parseTags(textOf(node, TAG.AttributeValue) ?? '') ?? [];
  }
  return [];
}
