// Reads Boolean attributes, with a default for objects that do not have the attribute.
import type { ReadonlyAttributes } from '../../../kmip/attribute/set.ts';
import { TYPE } from '../../../kmip/ttlv/node.ts';

export function flagOf(attributes: ReadonlyAttributes, tag: number, otherwise: boolean): boolean {
  const node = attributes.first(tag);
  return node?.type === TYPE.Boolean ? node.value : otherwise;
}
