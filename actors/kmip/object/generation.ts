// The generation of a key in its keyset.
import { type Node, TYPE } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { ManagedObject } from './managed-object.ts';

/** 0 for an object that was never rotated. */
export function generationOf({ attributes }: Pick<ManagedObject, 'attributes'>): number {
  const node: Node | undefined = attributes.first(TAG.RotateGeneration);
  return node?.type === TYPE.Integer ? node.value : 0;
}
