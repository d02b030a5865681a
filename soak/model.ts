// What a history is held against: how one object behaves if each operation happens at one moment between its call and its answer.

/** What a client did with an object, and what it was answered. */
export interface Deed {
  readonly name: string;
  readonly input?: string | number | undefined;
  /** undefined: not known, because there was no answer. */
  readonly output: string | number | undefined;
}

/** States are compared by their text in JSON. */
export interface Model<State = unknown> {
  readonly kind: string;
  readonly initial: State;
  /** Nodes keep what they have read of it. */
  readonly isCached?: true;
  /** Names of operations that change nothing: without an answer they say nothing. */
  readonly reads: ReadonlySet<string>;
  /** @returns the states in which the deed may leave the object; none where the answer cannot be given in this state */
  next(state: State, deed: Deed): readonly State[];
}

/** @returns the state where the answer is the expected one or is not known */
export function answers<State>(deed: Deed, expected: string | number, after: State): readonly State[] {
  return deed.output === undefined || deed.output === expected ? [after] : [];
}
