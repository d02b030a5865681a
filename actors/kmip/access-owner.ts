// Whose an object is, as the /access endpoints ask it: its owner may do everything here, and who does not know of it is told of nothing.
import { Fault } from '../../kernel/fault.ts';
import type { Principal } from './api.ts';
import type { Held } from './object/cache.ts';
import { isKnown } from './object/grants.ts';
import type { ObjectDescription } from './object/managed-object.ts';
import { callerName } from './principal.ts';

export function isVisible<T extends ObjectDescription>(held: Held<T> | undefined, caller: Principal): held is Held<T> {
  return held !== undefined && (held.object.owner === caller.user || isKnown(held.grants, caller));
}

/** @throws Fault KEYS_OBJECT_NOT_FOUND for what the caller may not know of, KEYS_NOT_OWNER for what is another's */
export function requireOwned<T extends ObjectDescription>(held: Held<T> | undefined, caller: Principal): T {
  if (!isVisible(held, caller)) throw new Fault('KEYS_OBJECT_NOT_FOUND');
  requireOwner(held.object, caller);
  return held.object;
}

/** @throws Fault KEYS_NOT_OWNER */
export function requireOwner(object: ObjectDescription, caller: Principal): void {
  if (object.owner !== caller.user) throw new Fault('KEYS_NOT_OWNER', { detail: `the object ${object.id} is not owned by ${callerName(caller)}` });
}
