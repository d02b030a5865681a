// Attributes that are true or false, with what they are where an object has none.
import type { ReadonlyAttributes } from '../../../kmip/attribute/set.ts';
import { TYPE } from '../../../kmip/ttlv/node.ts';

export function flagOf(attributes: ReadonlyAttributes, tag: number, otherwise: boolean): boolean {
  const node = attributes.first(tag);
  return node?.type === TYPE.Boolean ? node.value : otherwise;
}
