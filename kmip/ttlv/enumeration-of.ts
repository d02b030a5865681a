// Finds the enumeration or mask that the values of a tag belong to, and translates between names and codes.
import { ENUM_ALIAS } from './alias.ts';
import { compactCodes } from './compact.ts';
import { ENUM, type EnumName } from './enumeration.ts';
import { MASK } from './mask.ts';
import { Names, TAG_NAMES } from './names.ts';
import { type Node, type Structure, TYPE } from './node.ts';
import { TAG } from './tag.ts';

const NAMES = Object.fromEntries(
  Object.entries(ENUM).map(([name, codes]) => [
    name,
    new Names(codes, (ENUM_ALIAS as Readonly<Record<string, Readonly<Record<string, string>>>>)[name], compactCodes(name as EnumName)),
  ]),
) as Record<EnumName, Names>;

/** Tags whose enumeration is named differently. An identifier is a text, or an enumeration that refers to a previous result (2.1 section 11.58). */
const OTHERWISE_NAMED = {
  CertificateRequestUniqueIdentifier: 'UniqueIdentifier',
  ExpectedObjectType: 'ObjectType',
  ExtensionType: 'ItemType',
  LinkedObjectIdentifier: 'UniqueIdentifier',
  MaskGeneratorHashingAlgorithm: 'HashingAlgorithm',
  ObjectUniqueIdentifier: 'UniqueIdentifier',
  PrivateKeyUniqueIdentifier: 'UniqueIdentifier',
  PublicKeyUniqueIdentifier: 'UniqueIdentifier',
  ReplacedUniqueIdentifier: 'UniqueIdentifier',
} as const satisfies Readonly<Record<string, EnumName>>;

const byTag = <T>(table: Readonly<Record<string, T>>) =>
  Object.entries(table).flatMap(([name, value]): [number, T][] => (name in TAG ? [[TAG[name as keyof typeof TAG], value]] : []));

const ENUM_OF: ReadonlyMap<number, EnumName> = new Map(
  byTag<EnumName>({ ...Object.fromEntries(Object.keys(ENUM).map((name) => [name, name as EnumName])), ...OTHERWISE_NAMED }),
);
const ENUMERATIONS: ReadonlyMap<number, Names> = new Map([
  ...[...ENUM_OF].map(([tag, name]): [number, Names] => [tag, NAMES[name]]),
  ...byTag({ AttributeReference: TAG_NAMES, Tag: TAG_NAMES }),
]);
const MASKS: ReadonlyMap<number, Names> = new Map(byTag(Object.fromEntries(Object.entries(MASK).map(([name, bits]) => [name, new Names(bits)]))));

export const TYPE_NAMES = NAMES.ItemType;
export const OPERATION_NAMES = NAMES.Operation;

/** The enumeration of a tag's codes; undefined if there is none, or if the codes are tags. */
export function enumOf(tag: number): EnumName | undefined {
  return ENUM_OF.get(tag);
}

/** The names of an enumeration's values. @param attribute AttributeName, needed for AttributeValue of KMIP 1.x because its tag identifies no enumeration */
export function enumerationNames(tag: number, attribute?: string): Names | undefined {
  return ENUMERATIONS.get(valueTag(tag, attribute));
}

/** The names of the bits; undefined if integers with this tag are not masks. */
export function maskNames(tag: number, attribute?: string): Names | undefined {
  return MASKS.get(valueTag(tag, attribute));
}

function valueTag(tag: number, attribute: string | undefined): number {
  if (tag !== TAG.AttributeValue || attribute === undefined) return tag;
  return TAG_NAMES.code(attribute) ?? tag;
}

/** Codes from this one on are extensions, which vendors may define. */
const EXTENSIONS = 0x80000000;

/** @returns the number of a code that the enumeration of its tag does not have; undefined for all other values */
export function undefinedCode({ tag, type, value }: Node): string | undefined {
  const names = type === TYPE.Enumeration && value < EXTENSIONS ? ENUMERATIONS.get(tag) : undefined;
  return names !== undefined && names.name(value as number) === undefined ? numberName(value as number) : undefined;
}

/** The name of a code, or its number if it has no name. */
export function codeName(code: number, names: Names | undefined): string {
  return names?.name(code) ?? numberName(code);
}

/** Like `codeName`, but in the compact spelling. */
export function compactCodeName(code: number, names: Names | undefined): string {
  return names?.compactName(code) ?? numberName(code);
}

function numberName(code: number): string {
  return `0x${code.toString(16).toUpperCase().padStart(8, '0')}`;
}

/** The AttributeName of an Attribute, which determines the names that its AttributeValue can have. */
export function attributeName(attribute: Structure): string | undefined {
  const node = attribute.value.find(({ tag }) => tag === TAG.AttributeName);
  return node?.type === TYPE.TextString ? node.value : undefined;
}
