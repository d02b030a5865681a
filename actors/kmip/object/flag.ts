// Attributes that are true or false, with what they are where an object has none.
import { TYPE } from '../ttlv/node.ts';
import type { ReadonlyAttributes } from './attributes.ts';

export function flagOf(attributes: ReadonlyAttributes, tag: number, otherwise: boolean): boolean {
  const node = attributes.first(tag);
  return node?.type === TYPE.Boolean ? node.value : otherwise;
}
