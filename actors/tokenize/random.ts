// Random numbers from the system: uniform, 53 bits, strictly between 0 and 1.
import { randomFillSync } from 'node:crypto';

export type Random = () => number;

const BITS = 2n ** 53n;
const MASK = BITS - 1n;
/** Numbers fetched from the system per call: a call for each number would cost more than all other work. */
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
      // Do not keep numbers that were used.
      words[next++] = 0n;
      if (word !== 0n) return Number(word) / Number(BITS);
    }
  };
}
