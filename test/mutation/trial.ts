// Whether the tests notice a mutant: the test files that reach it run one after the other until a test fails.
import { type Ended, runFile } from '../runner/file-process.ts';
import { verdict } from '../runner/verdict.ts';
import type { Checkout } from './checkout.ts';
import { type Mutant, mutatedSource } from './mutant.ts';
import { reached } from './reach.ts';

/** `unreached` has survived as well: no test runs that place. */
export type Outcome = 'killed' | 'timeout' | 'survived' | 'unreached';

/** What is known of a test file. */
export interface TestFile {
  readonly file: string;
  /** Milliseconds that it takes with nothing broken. */
  readonly ms: number;
  readonly reaches: ReadonlySet<Mutant>;
  /** Mutants that it was tried on, and those that it noticed. */
  tried: number;
  noticed: number;
}

const GRACE_MS = 2_000;
const BASE_LIMIT_MS = 600_000;
/** A file that takes longer than three times its own, and so much more, hangs. */
const limitOf = (ms: number): number => ms * 3 + 15_000;

/** @throws Error where a file fails with nothing broken: then it holds nothing */
export async function lookAt({ root }: Checkout, file: string, mutants: readonly Mutant[]): Promise<TestFile> {
  const { ended, found } = await reached(root, mutants, (env) => runFile(root, file, { limitMs: BASE_LIMIT_MS, graceMs: GRACE_MS }, env));
  const { failed, seconds, output } = verdict(ended);
  if (failed > 0) throw new Error(`${file} fails with nothing broken:\n${output}`);
  return { file, ms: seconds * 1000, reaches: found, tried: 0, noticed: 0 };
}

/** Those that notice much for the time they take come first. */
const cost = ({ ms, tried, noticed }: TestFile): number => (ms * (tried + 2)) / (noticed + 1);

/** @returns the outcome, and the file that noticed */
export async function trial(checkout: Checkout, mutant: Mutant, files: readonly TestFile[]): Promise<{ outcome: Outcome; by?: string }> {
  const those = files.filter(({ reaches }) => reaches.has(mutant)).sort((one, other) => cost(one) - cost(other));
  if (those.length === 0) return { outcome: 'unreached' };
  checkout.write(mutant.file, mutatedSource(mutant));
  try {
    for (const each of those) {
      const outcome = await outcomeOf(checkout.root, each);
      each.tried++;
      if (outcome === 'survived') continue;
      each.noticed++;
      return { outcome, by: each.file };
    }
    return { outcome: 'survived' };
  } finally {
    checkout.write(mutant.file, mutant.source);
  }
}

async function outcomeOf(root: string, { file, ms }: TestFile): Promise<Outcome> {
  const run = (limitMs: number): Promise<Ended> => runFile(root, file, { limitMs, graceMs: GRACE_MS, isOverAtFailure: true });
  const ended = await run(limitOf(ms));
  // What hangs has to hang twice: the machine may have been busy.
  const again = ended.overran ? await run(limitOf(ms) * 2) : ended;
  if (again.overran) return 'timeout';
  return verdict(again).failed > 0 ? 'killed' : 'survived';
}
