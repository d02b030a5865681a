// When a client may still set the dates of an object's life, and in which order they must be (KMIP specification 2.1 sections 4.1, 4.18, 4.40, 4.41).
import type { ReadonlyAttributes } from '../../../../kmip/attribute/set.ts';
import type { State as StateCode } from '../../../../kmip/object-type.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { tagName } from '../../../../kmip/ttlv/names.ts';
import { nameOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { dateAttribute, stateAt } from '../life/lifecycle.ts';
import type { ObjectDescription } from '../managed-object.ts';

const { State } = ENUM;

const OPEN_IN: ReadonlyMap<number, readonly StateCode[]> = new Map([
  [TAG.ActivationDate, [State.PreActive]],
  [TAG.DeactivationDate, [State.PreActive, State.Active]],
  [TAG.ProcessStartDate, [State.PreActive, State.Active]],
  [TAG.ProtectStopDate, [State.PreActive, State.Active]],
] as const);

/** @throws Refusal WrongKeyLifecycleState if the date has already taken effect */
export function requireOpenDate(object: ObjectDescription, tag: number, now: number): void {
  const states = OPEN_IN.get(tag);
  if (!states) return;
  const state = stateAt(object, now);
  if (!states.includes(state)) throw new Refusal('WrongKeyLifecycleState', `${tagName(tag)} cannot be set: the object is ${nameOf('State', state)}`);
  const set = dateAttribute(object.attributes, tag);
  const passes = tag === TAG.ProcessStartDate || tag === TAG.ProtectStopDate;
  if (passes && set !== undefined && set <= now) throw new Refusal('WrongKeyLifecycleState', `${tagName(tag)} has passed and cannot be changed`);
}

/**
 * A DeactivationDate that is not in the future ends the life of the object at once, even before its ActivationDate
 * (specification 1.4 section 3.22, transition 6).
 * @throws Refusal InvalidAttributeValue if a date lies outside the object's active life
 */
export function requireOrderedDates({ attributes }: Pick<ObjectDescription, 'attributes'>, now: number): void {
  const end = dateAttribute(attributes, TAG.DeactivationDate);
  if (end === undefined || end > now) notBefore(attributes, TAG.DeactivationDate, TAG.ActivationDate);
  requireDatesOfUse(attributes);
}

/** What holds of the dates of every object, new ones too (2.1 sections 4.40 and 4.41). @throws Refusal InvalidAttributeValue */
export function requireDatesOfUse(attributes: ReadonlyAttributes): void {
  notBefore(attributes, TAG.ProcessStartDate, TAG.ActivationDate);
  notBefore(attributes, TAG.DeactivationDate, TAG.ProtectStopDate);
}

function notBefore(attributes: ReadonlyAttributes, later: number, earlier: number): void {
  const [a, b] = [dateAttribute(attributes, earlier), dateAttribute(attributes, later)];
  if (a !== undefined && b !== undefined && b < a) throw new Refusal('InvalidAttributeValue', `${tagName(later)} must not be before ${tagName(earlier)}`);
}
