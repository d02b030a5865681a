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
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let kept = 0;
  const timer = setInterval(() => {
    const { external_memory: held } = getHeapStatistics();
    kept = Math.min(kept, held);
    if (held - kept < minBytes) return;
    collect();
    kept = getHeapStatistics().external_memory;
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
