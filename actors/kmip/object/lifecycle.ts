// The state of an object at a moment: dates that have passed change it without anybody's doing (KMIP specification 2.1 section 4.57).
import { ENUM } from '../ttlv/enumeration.ts';
import { TYPE } from '../ttlv/node.ts';
import { TAG } from '../ttlv/tag.ts';
import type { ManagedObject, State } from './managed-object.ts';

/** @param now seconds since the epoch */
export function stateAt(object: ManagedObject, now: number): State {
  let { state } = object;
  if (state === ENUM.State.PreActive && passed(object, TAG.ActivationDate, now)) state = ENUM.State.Active;
  if (state === ENUM.State.Active && passed(object, TAG.DeactivationDate, now)) state = ENUM.State.Deactivated;
  return state;
}

function passed(object: ManagedObject, tag: number, now: number): boolean {
  const node = object.attributes.first(tag);
  return node?.type === TYPE.DateTime && node.value <= now;
}
