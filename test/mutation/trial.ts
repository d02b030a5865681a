// Whether the tests notice a mutant: the test files that reach it run one after the other until a test fails.
import { runFile } from '../runner/file-process.ts';
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

/** What a test that waited in vain says, which the machine may be the reason of. */
const WAITED = /time-?(?:d )?out/i;

/** @throws Error where a file fails with nothing broken, twice: then it holds nothing */
export async function lookAt({ root }: Checkout, file: string, mutants: readonly Mutant[]): Promise<TestFile> {
  const look = () => reached(root, mutants, async (env) => verdict(await runFile(root, file, { limitMs: BASE_LIMIT_MS, graceMs: GRACE_MS }, env)));
  const first = await look();
  const { ended, found } = first.ended.failed > 0 ? await look() : first;
  if (ended.failed > 0) throw new Error(`${file} fails with nothing broken:\n${ended.output}`);
  return { file, ms: ended.seconds * 1000, reaches: found, tried: 0, noticed: 0 };
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
  const limited = { limitMs: limitOf(ms), graceMs: GRACE_MS, isOverAtFailure: true };
  const first = await runFile(root, file, limited);
  // What hangs or waits in vain has to do so twice: the machine may have been busy.
  const isDoubtful = first.overran || (verdict(first).failed > 0 && WAITED.test(first.output));
  const ended = isDoubtful ? await runFile(root, file, { ...limited, limitMs: limited.limitMs * 2 }) : first;
  if (ended.overran) return 'timeout';
  return verdict(ended).failed > 0 ? 'killed' : 'survived';
}
