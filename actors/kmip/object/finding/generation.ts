// The generation of a key in its keyset, and which generations an address means.
import { Refusal } from '../../../../kmip/refusal.ts';
import { type Node, TYPE } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { ManagedObject } from '../managed-object.ts';
import type { KeysetAddress } from './identifier.ts';
import { isAble, type Purpose } from './tagged.ts';

/** 0 for an object that was never rotated. */
export function generationOf({ attributes }: Pick<ManagedObject, 'attributes'>): number {
  const node: Node | undefined = attributes.first(TAG.RotateGeneration);
  return node?.type === TYPE.Integer ? node.value : 0;
}

/** RotateGeneration is an Integer. */
const LAST_GENERATION = 2 ** 31 - 1;

/** @throws Refusal ServerLimitExceeded if there is no further one */
export function generationAfter(...generations: readonly number[]): number {
  const last = Math.max(...generations);
  if (last >= LAST_GENERATION) throw new Refusal('ServerLimitExceeded', `RotateGeneration is ${last}; the object cannot be rotated again`);
  return last + 1;
}

/**
 * Which members of a keyset a name stands for. The two keys of a pair may be in one keyset: then those that fit the operation.
 * @param members newest first
 */
export async function generationsMeant(
  address: KeysetAddress | undefined,
  members: readonly string[],
  purpose: Purpose,
  read: (id: string) => Promise<Pick<ManagedObject, 'type' | 'attributes'> | undefined>,
): Promise<readonly string[]> {
  const others: string[] = [];
  const able: string[] = [];
  for (const id of address?.generation === 'first' ? members.toReversed() : members) {
    const object = await read(id);
    const isMeant = typeof address?.generation !== 'number' || (object && generationOf(object) === address.generation);
    if (object && isMeant) (isAble(purpose, object.type) ? able : others).push(id);
    if (address && able.length > 0) break;
  }
  const found = able.length > 0 ? able : others;
  return address ? found.slice(0, 1) : found;
}
