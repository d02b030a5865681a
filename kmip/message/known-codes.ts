// Refuses codes that no enumeration of the specification has, in the objects that clients register (KMIP 2.1 section 11).
import { Refusal } from '../refusal.ts';
import { undefinedCode } from '../ttlv/enumeration-of.ts';
import { tagName } from '../ttlv/names.ts';
import { type Structure, TYPE } from '../ttlv/node.ts';
import { TAG } from '../ttlv/tag.ts';

/** Attributes in a KeyValue are checked as attributes; and of the types of opaque data the specification defines none. */
const ELSEWHERE: ReadonlySet<number> = new Set([TAG.Attribute, TAG.Attributes, TAG.OpaqueDataType]);

/** @throws Refusal InvalidField: what the code is to mean, nobody could tell later */
export function requireKnownCodes({ value }: Structure): void {
  for (const node of value) {
    if (ELSEWHERE.has(node.tag)) continue;
    if (node.type === TYPE.Structure) requireKnownCodes(node);
    const code = undefinedCode(node);
    if (code !== undefined) throw new Refusal('InvalidField', `${tagName(node.tag)} has no value ${code}`);
  }
}
