// Moves objects through their life: applies the dates that have passed and the events of operations, and sets the dates that KMIP requires.
import { transition } from 'xstate';
import type { ReadonlyAttributes } from '../../../../kmip/attribute/set.ts';
import type { State as StateCode } from '../../../../kmip/object-type.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { dateTime, type Node, TYPE } from '../../../../kmip/ttlv/node.ts';
import { nameOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { Version } from '../../../../kmip/version.ts';
import type { DescriptionDraft, Draft, ObjectDescription } from '../managed-object.ts';
import { type LifeEvent, type LifeState, objectMachine } from './object.machine.ts';

const { State, ObjectType } = ENUM;

/** The seconds of a date attribute. */
export function dateAttribute(attributes: ReadonlyAttributes, tag: number): number | undefined {
  const node: Node | undefined = attributes.first(tag);
  return node?.type === TYPE.DateTime ? node.value : undefined;
}

/** The state of an object at this moment: a date that has passed counts even if the stored state does not show it yet. */
export function stateAt(object: ObjectDescription, now: number): StateCode {
  const { state, attributes } = object;
  if (isStateless(object)) return state;
  if (state === State.Active) {
    const end = dateAttribute(attributes, TAG.DeactivationDate);
    return end === undefined || end > now ? state : State.Deactivated;
  }
  if (state !== State.PreActive) return state;
  const start = dateAttribute(attributes, TAG.ActivationDate);
  if (start === undefined || start > now) return state;
  const end = dateAttribute(attributes, TAG.DeactivationDate);
  return end === undefined || end > now ? State.Active : State.Deactivated;
}

export const isDestroyed = (state: StateCode): boolean => state === State.Destroyed || state === State.DestroyedCompromised;

/** Templates have no State: they exist until they are destroyed, whatever their dates. */
export const isStateless = ({ type }: Pick<ObjectDescription, 'type'>): boolean => type === ObjectType.Template;

/** Whether clients of this version know a State of such objects: before KMIP 2.0 opaque objects were no cryptographic objects (1.4 section 3.22 and appendix B; 2.1 table 144). */
export const hasState = ({ type }: Pick<ObjectDescription, 'type'>, { major }: Version): boolean =>
  type !== ObjectType.Template && (major > 1 || type !== ObjectType.OpaqueObject);

/** Whether objects of this type can be used in operations of cryptography. */
export const isCryptographic = ({ type }: Pick<ObjectDescription, 'type'>): boolean => type !== ObjectType.Template && type !== ObjectType.OpaqueObject;

/** Updates the state of a draft to this moment, as the event `elapse` of the machine does, which takes some 20 us. */
export function settle(draft: DescriptionDraft, now: number): void {
  draft.state = stateAt(draft, now);
}

/** The next state, or undefined if this state does not permit the event. */
function step(draft: DescriptionDraft, event: LifeEvent): StateCode | undefined {
  const { attributes, state } = draft;
  const value = nameOf('State', state) as LifeState;
  const context = { activation: dateAttribute(attributes, TAG.ActivationDate), deactivation: dateAttribute(attributes, TAG.DeactivationDate) };
  const stored = objectMachine.resolveState({ value, context });
  if (!stored.can(event)) return undefined;
  const [next] = transition(objectMachine, stored, event);
  return State[next.value];
}

/** @throws Refusal WrongKeyLifecycleState if the state does not permit the event, InvalidObjectType if the object has no state */
export function applyEvent(draft: DescriptionDraft, type: Exclude<LifeEvent['type'], 'elapse'>, now: number): void {
  if (isStateless(draft) && type !== 'destroy') throw stateless(draft, type);
  settle(draft, now);
  const before = draft.state;
  const next = step(draft, { type, now });
  if (next === undefined) throw new Refusal('WrongKeyLifecycleState', `DENIED: ${whyNot(draft.id, nameOf('State', before), type)}`);
  draft.state = next;
  const date = DATE[type];
  if (next !== before && date !== undefined) draft.attributes.set(dateTime(date, now));
  // Also for an object that was read without its content, so that the stored content is deleted.
  if (type === 'destroy') (draft as Draft).content = undefined;
  markChanged(draft, now);
}

/** The refusal of an event for an object whose type has no State, in this version of KMIP or at all. */
export function stateless(draft: Pick<ObjectDescription, 'type'>, type: keyof typeof DONE): Refusal {
  return new Refusal('InvalidObjectType', `DENIED: a ${nameOf('ObjectType', draft.type)} has no State and cannot be ${DONE[type]}`);
}

/** The reason, and what to do about it if anything helps. */
function whyNot(id: string, state: string, type: keyof typeof DONE): string {
  if (type === 'destroy' && state === 'Active') return `${id} is Active; revoke it before you destroy it`;
  if (type === 'activate' && state === 'Active') return `${id} is already Active`;
  return `${id} is ${state} and cannot be ${DONE[type]}`;
}

const DONE = { activate: 'activated', deactivate: 'revoked', compromise: 'revoked', destroy: 'destroyed' } as const;
const DATE: Readonly<Record<string, number>> = {
  activate: TAG.ActivationDate,
  deactivate: TAG.DeactivationDate,
  compromise: TAG.CompromiseDate,
  destroy: TAG.DestroyDate,
};

/** Sets LastChangeDate. */
export function markChanged(draft: DescriptionDraft, now: number): void {
  draft.attributes.set(dateTime(TAG.LastChangeDate, now));
}
