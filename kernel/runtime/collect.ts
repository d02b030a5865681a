// Gives large byte arrays back: they lie outside of V8's heap, and a thread that has little to do collects nothing for minutes.
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

interface CollectOptions {
  /** So much more than after the last collection is worth one. */
  readonly minBytes: number;
  readonly everyMs: number;
}

/** An actor makes several copies of what is large, one call after the other, and a collection of its small heap takes some milliseconds. */
export const IN_ACTORS: CollectOptions = { minBytes: 33_554_432, everyMs: 100 };
/** Here a collection holds up every connection. */
export const IN_FRONT: CollectOptions = { minBytes: 134_217_728, everyMs: 2_000 };

/** @returns what ends it */
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
