// What the clients of a run have counted, and what they have found wrong.

/** What must hold. A run names each of them, with what broke it. */
export const PROMISES = [
  'histories are linearizable',
  'nothing that was answered is lost',
  'no answer goes to another caller',
  'no answer is wrong',
  'no answer is an internal error',
  'each fault has happened',
  'the server works again after each fault',
  'memory, handles and threads are flat',
] as const;
export type Promised = (typeof PROMISES)[number];

interface Count {
  answered: number;
  unanswered: number;
  ms: number;
}

/** Of each promise, so many are told; the rest is counted. */
const MOST_TOLD = 20;

export class Tally {
  readonly counts = new Map<string, Count>();
  readonly #wrong = new Map<Promised, { count: number; readonly told: string[] }>();
  /** Requests whose client has hung up before it had the answer. */
  hungUp = 0;
  /** Answers that the work took longer than its limit: right, and nothing was done. */
  late = 0;

  count(what: string, isAnswered: boolean, ms: number): void {
    const count = this.counts.get(what) ?? { answered: 0, unanswered: 0, ms: 0 };
    this.counts.set(what, count);
    count[isAnswered ? 'answered' : 'unanswered'] += 1;
    count.ms += isAnswered ? ms : 0;
  }

  wrong(promise: Promised, what: string): void {
    const found = this.#wrong.get(promise) ?? { count: 0, told: [] };
    this.#wrong.set(promise, found);
    found.count += 1;
    if (found.told.length < MOST_TOLD) found.told.push(what);
  }

  /** What broke a promise, and how often. */
  broken(promise: Promised): { readonly count: number; readonly told: readonly string[] } {
    return this.#wrong.get(promise) ?? { count: 0, told: [] };
  }

  get answered(): number {
    return [...this.counts.values()].reduce((sum, { answered }) => sum + answered, 0);
  }
}
