// Decides whether a history is linearizable: the search of Wing and Gong (1993) with the memory of Lowe (2017).
import type { Operation } from './history.ts';
import type { Model } from './model.ts';

export interface Verdict {
  readonly isLinearizable: boolean;
  /** The most operations that could be put in an order; the first that could not be added to it is where to look. */
  readonly longest: readonly Operation[];
  /** Configurations that were looked at. */
  readonly steps: number;
}

interface Choice<State> {
  readonly done: bigint;
  readonly state: State;
  readonly order: Order | undefined;
  readonly length: number;
}

interface Order {
  readonly last: Operation;
  readonly before: Order | undefined;
}

/** Searches that take longer are given up: the history is then neither good nor bad. */
const MAX_STEPS = 2_000_000;

/**
 * Operations without an answer may happen at any time after their call, or never.
 * @throws Error if the search takes too many steps
 */
export function check<State>(model: Model<State>, operations: readonly Operation[]): Verdict {
  const all = operations.filter(({ name, output }) => output !== undefined || !model.reads.has(name)).sort((a, b) => a.called - b.called);
  const answered = all.reduce((bits, { output }, at) => (output === undefined ? bits : bits | (1n << BigInt(at))), 0n);
  const seen = new Set<string>();
  const open: Choice<State>[] = [{ done: 0n, state: model.initial, order: undefined, length: 0 }];
  let best = open[0] as Choice<State>;
  for (let steps = 1; ; steps++) {
    const choice = open.pop();
    if (!choice) return { isLinearizable: false, longest: orderOf(best), steps };
    if (steps > MAX_STEPS) throw new Error(`the history of ${all.length} operations is too entangled to be checked`);
    if (choice.length > best.length) best = choice;
    if ((choice.done & answered) === answered) return { isLinearizable: true, longest: orderOf(choice), steps };
    for (const next of nextOf(model, all, choice)) {
      const key = `${next.done.toString(36)} ${JSON.stringify(next.state)}`;
      if (seen.has(key)) continue;
      seen.add(key);
      open.push(next);
    }
  }
}

/** An operation may come next if nothing that is not done yet was answered before its call. Those that were called first are tried first. */
function nextOf<State>(model: Model<State>, all: readonly Operation[], { done, state, order, length }: Choice<State>): Choice<State>[] {
  let deadline = Number.POSITIVE_INFINITY;
  for (const [at, { answered }] of all.entries()) if (answered < deadline && !(done & (1n << BigInt(at)))) deadline = answered;
  const found: Choice<State>[] = [];
  for (const [at, operation] of all.entries()) {
    if (operation.called > deadline) break;
    const bit = 1n << BigInt(at);
    if (done & bit) continue;
    for (const after of model.next(state, operation))
      found.push({ done: done | bit, state: after, order: { last: operation, before: order }, length: length + 1 });
  }
  // The last one is taken first. What has no answer waits until it is needed: most of it never happened.
  return found.reverse().sort((a, b) => Number(isAnswered(a)) - Number(isAnswered(b)));
}

const isAnswered = <State>({ order }: Choice<State>) => order?.last.output !== undefined;

function orderOf<State>({ order }: Choice<State>): Operation[] {
  const all: Operation[] = [];
  for (let at = order; at; at = at.before) all.push(at.last);
  return all.reverse();
}
