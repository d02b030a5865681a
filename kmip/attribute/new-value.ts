// Limits of the names and tags that clients give. What was stored before there were limits can still be found, read, changed and deleted.
import { isLonger } from '../../text/code-points.ts';
import { Refusal } from '../refusal.ts';
import { isStorable, parseTags } from '../tags.ts';
import { tagName } from '../ttlv/names.ts';
import { type Node, TYPE } from '../ttlv/node.ts';
import { textOf } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';
import { isTags, referenceTo } from './reference.ts';

/** In characters. The specification names no limit; an index has the names. */
const MAX_NAME = 1_024;
/** In characters, as in `/v1/crypto/keys/{kid}/tags`. */
const MAX_TAG = 255;

/** The member that holds the name. */
const NAME_IN: ReadonlyMap<number, number> = new Map([
  [TAG.Name, TAG.NameValue],
  [TAG.AlternativeName, TAG.AlternativeNameValue],
  [TAG.RotateName, TAG.RotateNameValue],
]);

/**
 * Neither XML nor PostgreSQL has U+0000 in texts (XML 1.0 section 2.2).
 * @param node an attribute that checkForm has returned
 * @throws Refusal InvalidAttributeValue
 */
export function requireNewValue(node: Node): void {
  if (node.type !== TYPE.Structure) return;
  const member = NAME_IN.get(node.tag);
  const name = member === undefined ? undefined : textOf(node, member);
  if (name !== undefined && (name === '' || isLonger(name, MAX_NAME) || !isStorable(name)))
    throw new Refusal('InvalidAttributeValue', `${tagName(node.tag)} must have 1 to ${MAX_NAME} characters of valid Unicode, without U+0000`);
  const tags = isTags(referenceTo(node)) ? parseTags(textOf(node, TAG.AttributeValue) ?? '') : undefined;
  if (tags?.some((tag) => isLonger(tag, MAX_TAG))) throw new Refusal('InvalidAttributeValue', `a tag must have at most ${MAX_TAG} characters`);
}
