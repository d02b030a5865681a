// Where chance comes from: uniform numbers of 53 bits, strictly between 0 and 1.
import { randomFillSync } from 'node:crypto';

export type Random = () => number;

const BITS = 2n ** 53n;
const MASK = BITS - 1n;
/** Numbers taken from the system at once: one call for each would cost more than all else. */
const BATCH = 128;

export function cryptographicRandom(): Random {
  const words = new BigUint64Array(BATCH);
  let next = BATCH;
  return () => {
    for (;;) {
      if (next === BATCH) {
        randomFillSync(words);
        next = 0;
      }
      const word = (words[next] as bigint) & MASK;
      // What was drawn is not kept.
      words[next++] = 0n;
      if (word !== 0n) return Number(word) / Number(BITS);
    }
  };
}
