// Runs garbage collection to free large byte arrays. They are outside of V8's heap, so an idle thread would not free them for minutes.
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

interface CollectOptions {
  /** Growth since the last collection that triggers the next one. */
  readonly minBytes: number;
  readonly everyMs: number;
}

/** Frequent, because actors copy large data several times, and a collection of their small heap takes only milliseconds. */
export const IN_ACTORS: CollectOptions = { minBytes: 33_554_432, everyMs: 100 };
/** Rare, because a collection in the main thread delays every connection. */
export const IN_FRONT: CollectOptions = { minBytes: 134_217_728, everyMs: 2_000 };

/** @returns a function that ends it */
export function collectLargeBytes({ minBytes, everyMs }: CollectOptions): () => void {
  let collect: (() => void) | undefined;
  let kept = 0;
  const timer = setInterval(() => {
    const { external_memory: held } = getHeapStatistics();
    kept = Math.min(kept, held);
    if (held - kept < minBytes) return;
    collect ??= collector();
    collect();
    kept = getHeapStatistics().external_memory;
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * V8 has it in contexts that are made while a flag is set. The flag is of the whole process, and compiled code is kept by the flags it was compiled
 * with: while it is set, threads that start compile everything again, Node's own modules too. So it is set for a moment, and not before it is needed.
 */
function collector(): () => void {
  // Another thread may end the moment of this one.
  for (;;) {
    setFlagsFromString('--expose-gc');
    const found = runInNewContext('globalThis.gc') as (() => void) | undefined;
    setFlagsFromString('--no-expose-gc');
    if (found) return found;
  }
}
