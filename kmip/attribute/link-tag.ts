// The link attributes of KMIP 3.0, one for each type of link, and the values of LinkType that stand for them in earlier versions.
import { ENUM } from '../ttlv/enumeration.ts';
import { type Node, type Structure, TYPE } from '../ttlv/node.ts';
import { codeOf } from '../ttlv/read.ts';
import { TAG, type TagName } from '../ttlv/tag.ts';

type LinkType = keyof typeof ENUM.LinkType;

/** Only those of derivation have other names. */
const OTHERWISE_NAMED: Readonly<Partial<Record<LinkType, TagName>>> = {
  DerivationBaseObjectLink: 'DerivationObjectLink',
  DerivedKeyLink: 'DerivedObjectLink',
};

const TAGS: ReadonlyMap<number, number> = new Map(
  Object.entries(ENUM.LinkType).map(([name, code]) => [code, TAG[OTHERWISE_NAMED[name as LinkType] ?? (name as LinkType & TagName)]]),
);
const TYPES: ReadonlyMap<number, number> = new Map([...TAGS].map(([type, tag]) => [tag, type]));

/** The LinkType that an attribute of KMIP 3.0 stands for; undefined if the tag is not that of such a link. */
export const linkTypeOf = (tag: number): number | undefined => TYPES.get(tag);

/** The attribute of KMIP 3.0 for a Link of earlier versions. */
export function linkTagOf(link: Structure): number | undefined {
  return TAGS.get(codeOf(link, TAG.LinkType) ?? 0);
}

/** Whether the value is a Link of the type that this attribute of KMIP 3.0 stands for. */
export function isLinkOf(tag: number, node: Node): boolean {
  return node.tag === TAG.Link && node.type === TYPE.Structure && linkTagOf(node) === tag;
}
