// What the payload of a request names, for the audit row of its refusal.
import { isNaming } from '../../../kmip/message/third-version.ts';
import { type Node, type Structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';

/** @returns an object, or the identifier that a new one is to get, which is among its attributes */
export function targetIn({ value: members }: Structure): unknown {
  const named = members.find(isText);
  return (named ?? members.flatMap((each) => (each.type === TYPE.Structure ? each.value : [])).find(isIdentifier))?.value;
}

const isText = (node: Node): boolean => node.type === TYPE.TextString || isNaming(node);
const isIdentifier = (node: Node): boolean => node.tag === TAG.UniqueIdentifier && isText(node);
