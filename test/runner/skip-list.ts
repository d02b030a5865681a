// The skips that a run in CI puts up with, each with its reason: test/skips.toml.
import { parse } from 'smol-toml';
import type { Verdict } from './verdict.ts';

export interface AllowedSkip {
  /** Path from the root of the repository. */
  readonly file: string;
  /** Part of what the file says after `skipped: `; another skip of the same file is not covered. */
  readonly says: string;
  /** Why it cannot run, and what holds the same thing instead. */
  readonly reason: string;
}

const LEAST_LENGTHS = { file: 1, says: 5, reason: 20 };

/**
 * @param toml tables `[[skip]]` with `file`, `says` and `reason`
 * @param isFile whether a path is that of a test: an entry of one that is gone is an error
 * @throws Error for an entry that is not whole, or of a file that is not there
 */
export function readSkipList(toml: string, isFile: (path: string) => boolean): AllowedSkip[] {
  const { skip = [], ...strange } = parse(toml);
  if (Object.keys(strange).length > 0 || !Array.isArray(skip)) throw new Error('skips.toml holds tables [[skip]] and nothing else');
  return skip.map((table: unknown) => {
    const entry = table as AllowedSkip;
    for (const [key, least] of Object.entries(LEAST_LENGTHS)) {
      const value: unknown = entry[key as keyof AllowedSkip];
      if (typeof value !== 'string' || value.length < least) throw new Error(`skips.toml: an entry needs ${key}, ${least} characters or more: ${entry.file}`);
    }
    if (!isFile(entry.file)) throw new Error(`skips.toml: there is no test ${entry.file}`);
    return { file: entry.file, says: entry.says, reason: entry.reason };
  });
}

/** A verdict in which skips that nothing allows are failures. */
export function withoutUnlisted(verdict: Verdict, allowed: readonly AllowedSkip[]): Verdict {
  const covers = (reason: string) => allowed.some(({ file, says }) => file === verdict.file && reason.includes(says));
  const unlisted = verdict.skips.filter((reason) => !covers(reason));
  return {
    ...verdict,
    failed: verdict.failed + unlisted.length,
    skips: verdict.skips.filter(covers),
    problems: [...verdict.problems, ...unlisted.map((reason) => `it was skipped, and test/skips.toml does not say that it may be: ${reason}`)],
  };
}

/** Entries that covered nothing in this run. Whether a test is skipped depends on the machine: they are told of, and fail nothing. */
export function unused(allowed: readonly AllowedSkip[], verdicts: readonly Verdict[]): AllowedSkip[] {
  return allowed.filter(({ file, says }) => verdicts.some((each) => each.file === file && !each.skips.some((reason) => reason.includes(says))));
}
