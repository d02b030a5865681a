// Checks ownership for the /access endpoints: only the owner may change grants, and a caller without any right learns nothing about the object.
import { Fault } from '../../kernel/fault.ts';
import type { Principal } from './api.ts';
import { isKnown } from './object/grants.ts';
import type { ObjectDescription } from './object/managed-object.ts';
import type { Held } from './object/rows/cache.ts';
import { callerName, owns } from './principal.ts';

export function isVisible<T extends ObjectDescription>(held: Held<T> | undefined, caller: Principal): held is Held<T> {
  return held !== undefined && (owns(caller, held.object.owner) || isKnown(held.grants, caller));
}

/** @throws Fault KEYS_OBJECT_NOT_FOUND if the caller may not know of the object, KEYS_NOT_OWNER if it belongs to somebody else */
export function requireOwned<T extends ObjectDescription>(held: Held<T> | undefined, caller: Principal): T {
  if (!isVisible(held, caller)) throw new Fault('KEYS_OBJECT_NOT_FOUND');
  requireOwner(held.object, caller);
  return held.object;
}

/** @throws Fault KEYS_NOT_OWNER */
export function requireOwner(object: ObjectDescription, caller: Principal): void {
  if (!owns(caller, object.owner)) throw new Fault('KEYS_NOT_OWNER', { detail: `the object ${object.id} is not owned by ${callerName(caller)}` });
}
