// Counts the operations of an instance by outcome, with the time that they took.
import type { HsmFailure, OperationFigures } from './api.ts';

/** Return values and operations are few; a library that makes up more is counted as other. */
const MAX_PAIRS = 512;

/** The return value, or the reason why the token was not called. */
export function outcomeOf({ why, text }: HsmFailure): string {
  return /^CKR[_ ]/.test(text) ? text : why;
}

export class Tally {
  readonly #figures = new Map<string, { operation: string; outcome: string; count: number; seconds: number }>();

  /** @param ms milliseconds, including the wait for a login */
  add(operation: string, outcome: string, ms: number): void {
    const full = this.#figures.size >= MAX_PAIRS && !this.#figures.has(`${operation} ${outcome}`);
    const key = full ? `${operation} other` : `${operation} ${outcome}`;
    const figures = this.#figures.get(key) ?? { operation, outcome: full ? 'other' : outcome, count: 0, seconds: 0 };
    figures.count += 1;
    figures.seconds += ms / 1000;
    this.#figures.set(key, figures);
  }

  figures(): readonly OperationFigures[] {
    return [...this.#figures.values()].map((each) => ({ ...each }));
  }
}
