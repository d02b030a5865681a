// What the payload of a request names, for the audit row of its refusal.
import { type Node, type Structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';

/** @returns an object, or the identifier that a new one is to get, which is among its attributes */
export function targetIn({ value: members }: Structure): unknown {
  const named = members.find(({ type }) => type === TYPE.TextString);
  return (named ?? members.flatMap((each) => (each.type === TYPE.Structure ? each.value : [])).find(isIdentifier))?.value;
}

const isIdentifier = ({ tag, type }: Node): boolean => tag === TAG.UniqueIdentifier && type === TYPE.TextString;
