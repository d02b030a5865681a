// What a fuzzer is made of, and the loop that feeds it.
import { Random } from './random.ts';

export interface FuzzTarget {
  readonly name: string;
  /** Makes one input and tries it. @throws for what must not happen; the error says which input it was */
  readonly attempt: (random: Random) => void;
}

/** The longest that one input may take; far above what any takes, below what a client could use to stop a server. */
const MOST_MS = 1_000;

/**
 * Tries inputs until the time is over. Input number n has the seed `seed + n`, so a failure is repeated by its own seed at once.
 * @returns how many inputs were tried
 */
export function fuzz({ name, attempt }: FuzzTarget, milliseconds: number, seed: number): number {
  const endsAt = performance.now() + milliseconds;
  let count = 0;
  for (; performance.now() < endsAt; count++) {
    const startedAt = performance.now();
    try {
      attempt(new Random(seed + count));
    } catch (cause) {
      throw new Error(`${name}: npm run fuzz -- 1 ${seed + count} ${name}`, { cause });
    }
    const took = performance.now() - startedAt;
    if (took > MOST_MS) throw new Error(`${name}: an input took ${Math.round(took)} ms: npm run fuzz -- 1 ${seed + count} ${name}`);
  }
  return count;
}
