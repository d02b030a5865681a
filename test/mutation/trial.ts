// Whether the tests notice a mutant: its test files run one after the other until one fails.
import { type Ended, runFile } from '../runner/file-process.ts';
import { verdict } from '../runner/verdict.ts';
import type { Checkout } from './checkout.ts';
import { type Mutant, mutatedSource } from './mutant.ts';

export type Outcome = 'killed' | 'timeout' | 'survived';

/** Milliseconds that each test file takes with nothing broken. */
export type Times = ReadonlyMap<string, number>;

const GRACE_MS = 2_000;
const BASE_LIMIT_MS = 300_000;
/** A file that takes longer than three times its own, and so much more, hangs. */
const limitOf = (ms: number): number => ms * 3 + 15_000;

const run = (root: string, file: string, limitMs: number): Promise<Ended> => runFile(root, file, { limitMs, graceMs: GRACE_MS });

/** @throws Error where a file fails with nothing broken: then it holds nothing */
export async function timesOf({ root }: Checkout, files: readonly string[]): Promise<Times> {
  const times = new Map<string, number>();
  for (const file of files) {
    const { failed, seconds, output } = verdict(await run(root, file, BASE_LIMIT_MS));
    if (failed > 0) throw new Error(`${file} fails with nothing broken:\n${output}`);
    times.set(file, seconds * 1000);
  }
  return times;
}

/** @param files of the tests @returns the outcome, and the file that noticed */
export async function tried(checkout: Checkout, mutant: Mutant, files: readonly string[], times: Times): Promise<{ outcome: Outcome; by?: string }> {
  checkout.write(mutant.file, mutatedSource(mutant));
  try {
    for (const file of files) {
      const limitMs = limitOf(times.get(file) ?? BASE_LIMIT_MS);
      const ended = await run(checkout.root, file, limitMs);
      // What hangs has to hang twice: the machine may have been busy.
      const again = ended.overran ? await run(checkout.root, file, limitMs * 2) : ended;
      if (again.overran) return { outcome: 'timeout', by: file };
      if (verdict(again).failed > 0) return { outcome: 'killed', by: file };
    }
    return { outcome: 'survived' };
  } finally {
    checkout.write(mutant.file, mutant.source);
  }
}
