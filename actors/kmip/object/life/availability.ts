// Refuses objects that are archived or destroyed.
import type { State } from '../../../../kmip/object-type.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { hasContent, type ObjectDescription } from '../managed-object.ts';
import { isDestroyed, stateAt } from './lifecycle.ts';

/** An archived object must be recovered before its life goes on (KMIP 2.1 section 6.1). @throws Refusal ObjectArchived */
export function requireOnLine({ id, archived }: Pick<ObjectDescription, 'id' | 'archived'>): void {
  if (archived) throw new Refusal('ObjectArchived', `DENIED: ${id} is archived; recover it first`);
}

/** @param now seconds since the epoch @returns the state at this moment @throws Refusal ObjectArchived, ObjectDestroyed */
export function requireAvailable(object: ObjectDescription, now: number): State {
  requireOnLine(object);
  const state = stateAt(object, now);
  if ((hasContent(object) && !object.content) || isDestroyed(state)) throw new Refusal('ObjectDestroyed', `${object.id} is destroyed`);
  return state;
}
