// What a fuzzer is made of, and the loop that feeds it.
import { Random } from './random.ts';

export interface FuzzTarget {
  readonly name: string;
  /** The most CPU time that one input may take, milliseconds; by default a second: far above what any takes, below what a client could use to stop a server. */
  readonly maxMs?: number;
  open(): FuzzRun | Promise<FuzzRun>;
}

export interface FuzzRun {
  /** Makes one input and tries it. @throws for what must not happen; the error says which input it was */
  attempt(random: Random): void | Promise<void>;
  close?(): void | Promise<void>;
}

const MAX_MS = 1_000;
/** Of memory, more than when the run began. */
const MAX_BYTES = 1024 ** 3;

/**
 * Tries inputs until the time is over and the least number of them is tried. Input number n has the seed `seed + n`, so a failure is repeated by its own seed at once.
 * @returns how many inputs were tried
 */
export async function fuzz(target: FuzzTarget, milliseconds: number, seed: number, least = 1): Promise<number> {
  const { name, maxMs = MAX_MS } = target;
  const run = await target.open();
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  const memory = process.memoryUsage.rss();
  const endsAt = performance.now() + milliseconds;
  let count = 0;
  try {
    for (; performance.now() < endsAt || count < least; count++) {
      const again = `npm run fuzz -- 1 ${seed + count} ${name}`;
      const before = process.cpuUsage();
      try {
        await run.attempt(new Random(seed + count));
        if (unhandled.length > 0) throw unhandled[0];
      } catch (cause) {
        throw new Error(`${name}: ${again}`, { cause });
      }
      // On a busy machine the clock also counts the work of others.
      const { user, system } = process.cpuUsage(before);
      const took = (user + system) / 1_000;
      if (took > maxMs) throw new Error(`${name}: an input took ${Math.round(took)} ms of CPU: ${again}`);
      if (count % 256 === 0) await settled();
    }
    await settled();
    if (unhandled.length > 0) throw new Error(`${name}: a promise was rejected and nobody looked, seeds ${seed} to ${seed + count}`, { cause: unhandled[0] });
    const grown = process.memoryUsage.rss() - memory;
    if (grown > MAX_BYTES) throw new Error(`${name}: ${Math.round(grown / 2 ** 20)} MiB more memory after ${count} inputs from seed ${seed}`);
    return count;
  } finally {
    process.off('unhandledRejection', note);
    await run.close?.();
  }
}

/** Rejections that nobody handles are told of after the microtasks. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
