// Selects what is indexed of an object's attributes, as texts that are equal exactly if the values are equal.
import { hash } from 'node:crypto';
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

/** Maximum length of an indexed text: an index entry of PostgreSQL has 2700 bytes, which include the owner. */
const MAX_TERM_CHARACTERS = 160;

/**
 * Attributes that change often, are compared by range, or have only a few values, which nearly all objects share: a search reads them from the
 * objects themselves. Each index term costs as much to write as the object's own row.
 */
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
  TAG.Fresh,
  TAG.KeyFormatType,
  TAG.Sensitive,
  TAG.AlwaysSensitive,
  TAG.Extractable,
  TAG.NeverExtractable,
]);

export const isIndexed = (node: Node): boolean => !UNINDEXED.has(node.tag) && node.type !== TYPE.DateTime && !isPartial(node);

/** Whether a search may give only some members of this structure, which then cannot be looked up in the index. */
function isPartial(node: Node): boolean {
  if (node.type !== TYPE.Structure) return false;
  if (node.tag === TAG.Name) return node.value.length < 2;
  if (node.tag === TAG.Link) return node.value.length < 2;
  if (node.tag === TAG.ApplicationSpecificInformation) return node.value.length < 2;
  if (node.tag === TAG.Attribute) return node.value.length < 3;
  return true;
}

/** A short text, equal for equal nodes only. The order of members does not matter. */
export function termOf(node: Node): IndexTerm {
  const ordered =
    node.type === TYPE.Structure
      ? structure(
          node.tag,
          node.value.toSorted((a, b) => a.tag - b.tag),
        )
      : node;
  return { tag: node.tag, value: hash('sha256', encodeBinary(ordered), 'base64url').slice(0, 22) };
}

/** The client's text itself, or its hash if PostgreSQL would not index it or would store another: it has no NUL in texts. */
function short(value: string): string {
  return value.length <= MAX_TERM_CHARACTERS && !value.includes('\0') ? value : `#${hash('sha256', value, 'base64url')}`;
}

/** The term for a tag that users give an object, or for the system tag of its type. */
export function tagTerm(tag: string): IndexTerm {
  return { tag: TAG.Tag, value: short(tag) };
}

/** The term for the members of a keyset. */
export function keysetTerm(name: string): IndexTerm {
  return { tag: TAG.RotateName, value: short(name) };
}

/** The name of an object's keyset: RotateName, a structure in the specification but a text with some clients. */
export function keysetOf({ attributes }: { readonly attributes: ReadonlyAttributes }): string | undefined {
  return keysetIn(attributes.first(TAG.RotateName));
}

/** @param node RotateName, or undefined */
export function keysetIn(node: Node | undefined): string | undefined {
  if (node?.type === TYPE.TextString) return node.value;
  return node?.type === TYPE.Structure ? textOf(node, TAG.RotateNameValue) : undefined;
}

/** The term for objects that are stored or returned wrapped by this key. */
export function wrappingTerm(id: string): IndexTerm {
  return { tag: TAG.KeyWrappingData, value: short(id) };
}

function wrapperIdOf({ content }: ManagedObject): string | undefined {
  const block = content && structureOf(content, TAG.KeyBlock);
  const wrapping = block && structureOf(block, TAG.KeyWrappingData);
  const information = wrapping && structureOf(wrapping, TAG.EncryptionKeyInformation);
  return information && textOf(information, TAG.UniqueIdentifier);
}

/** The key that wraps an object in the store or when it is returned. Content that was not read is not considered. */
export function wrappingKeyOf(object: ObjectDescription): string | undefined {
  return (hasContent(object) ? wrapperIdOf(object) : undefined) ?? wrapperOf(object);
}

/** All terms of an object, except for those that come from content that was not read. */
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

/** The tags of an object: those in the vendor attribute `tag`, a JSON array of texts, and the system tag of its type. */
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
