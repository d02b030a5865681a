// The names by which operations find key blocks and opened keys until each of them uses keys through `useKey`.
import type { KeyObject } from 'node:crypto';
import type { ManagedObject } from './managed-object.ts';
import { pairKeyOf, secretOf } from './software-key/material.ts';

export { type KeyBlock, keyBlock, keyBlockHead, keyBlockOf, lacksKeyValue, type NewKeyBlock, symmetricKey } from '../../../kmip/key-block.ts';
export { algorithmOf, curveOf } from './key-attributes.ts';

const secrets = new WeakMap<KeyObject, Uint8Array>();

export function secretBytes(object: ManagedObject): Uint8Array {
  const key = secretOf(object);
  const found = secrets.get(key) ?? new Uint8Array(key.export());
  secrets.set(key, found);
  return found;
}

export const secretKey = secretOf;
export const asymmetricKey = pairKeyOf;
