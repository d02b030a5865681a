// What two nodes may answer differently: what one of them has cached, while a change of it is not answered yet.
import type { Operation } from './history.ts';
import type { Model } from './model.ts';

/**
 * A change is answered when no node uses what was there before. Until then one node may show it and another not, one after the other. So what was only
 * looked at while a change was under way says nothing; every other operation must have its place in one order. A change without an answer is under way for ever.
 * @returns the operations that say something
 */
export function withoutDoubt<State>(model: Model<State>, operations: readonly Operation[]): readonly Operation[] {
  const states = statesOf(model, operations);
  const changes = operations.filter((each) => !isLook(model, states, each));
  return operations.filter((each) => !isLook(model, states, each) || !changes.some((change) => change.called < each.answered && each.called < change.answered));
}

/** Whether a deed with this output can be, and leaves every state in which it can be as it is. */
function isLook<State>({ next }: Model<State>, states: readonly State[], operation: Operation): boolean {
  const steps = states.flatMap((state) => next(state, operation).map((after) => JSON.stringify(after) === JSON.stringify(state)));
  return steps.length > 0 && steps.every(Boolean);
}

/** Those that these operations can lead to, in any order. */
function statesOf<State>({ initial, next }: Model<State>, operations: readonly Operation[]): readonly State[] {
  const found = new Map([[JSON.stringify(initial), initial]]);
  for (const state of found.values()) for (const operation of operations) for (const after of next(state, operation)) found.set(JSON.stringify(after), after);
  return [...found.values()];
}
