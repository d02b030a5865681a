// A search for a state or a type in SQL: conditions on columns that an index has, as few and as simple as the search allows.
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { type Node, TYPE } from '../../../../kmip/ttlv/node.ts';
import { enumerationValueExists } from '../../../../kmip/ttlv/since.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { Version } from '../../../../kmip/version.ts';
import { hasState } from '../life/lifecycle.ts';
import type { Selection } from './selection.ts';

type Enumeration<Tag extends number> = Extract<Node, { readonly type: typeof TYPE.Enumeration }> & { readonly tag: Tag };

const { PreActive, Active, Deactivated } = ENUM.State;

export const isState = (node: Node): node is Enumeration<typeof TAG.State> => node.tag === TAG.State && node.type === TYPE.Enumeration;
export const isType = (node: Node): node is Enumeration<typeof TAG.ObjectType> => node.tag === TAG.ObjectType && node.type === TYPE.Enumeration;

/**
 * The condition for objects in this state as `stateAt` computes it, from the stored state and the dates that have passed. No date leads to the other states:
 * for these the stored state decides, and the index skips all other objects.
 * @param now seconds since the epoch
 */
export function stateCondition(selection: Selection, state: number, now: number): string {
  if (state !== PreActive && state !== Active && state !== Deactivated) return `o.state = ${selection.param(state)}`;
  const at = selection.param(now);
  const begun = `o.activation_date <= ${at}`;
  const ended = `o.deactivation_date <= ${at}`;
  const notBegun = `(o.activation_date IS NULL OR o.activation_date > ${at})`;
  const notEnded = `(o.deactivation_date IS NULL OR o.deactivation_date > ${at})`;
  if (state === PreActive) return `o.state = ${PreActive} AND ${notBegun}`;
  if (state === Active) return `(o.state = ${Active} OR (o.state = ${PreActive} AND ${begun})) AND ${notEnded}`;
  const stored = `(o.state = ${Deactivated} OR (${ended} AND (o.state = ${Active} OR (o.state = ${PreActive} AND ${begun}))))`;
  // What is Deactivated has the date of it: an index skips those without.
  return `o.deactivation_date IS NOT NULL AND ${stored}`;
}

/** The types asked for; else all but those that this version of KMIP does not know, and in a search for a state those that have none. */
export function typeConditions(selection: Selection, attributes: readonly Node[], version: Version): string[] {
  const foreign = Object.values(ENUM.ObjectType).filter((type) => !enumerationValueExists('ObjectType', type, version));
  const stateless = attributes.some(isState) ? Object.values(ENUM.ObjectType).filter((type) => !hasState({ type }, version)) : [];
  const excluded = new Set<number>([...foreign, ...stateless]);
  const asked = attributes.filter(isType);
  if (asked.length > 0) return asked.map(({ value }) => (excluded.has(value) ? '1 = 0' : `o.object_type = ${selection.param(value)}`));
  return excluded.size === 0 ? [] : [`o.object_type NOT IN (${[...excluded].join(', ')})`];
}
