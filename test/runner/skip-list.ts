// Reads test/skips.toml, the list of skips that are allowed in CI, each with its reason.
import { parse } from 'smol-toml';
import type { Verdict } from './verdict.ts';

export interface AllowedSkip {
  /** Path from the root of the repository. */
  readonly file: string;
  /** Part of the text after `skipped: `. Other skips of the same file are not allowed by this entry. */
  readonly says: string;
  /** Why it cannot run, and what tests the same instead. */
  readonly reason: string;
}

const LEAST_LENGTHS = { file: 1, says: 5, reason: 20 };

/**
 * @param toml tables `[[skip]]` with `file`, `says` and `reason`
 * @param isFile whether a path is that of an existing test
 * @throws Error for an incomplete entry, or one whose file does not exist
 */
export function readSkipList(toml: string, isFile: (path: string) => boolean): AllowedSkip[] {
  const { skip = [], ...strange } = parse(toml);
  if (Object.keys(strange).length > 0 || !Array.isArray(skip)) throw new Error('skips.toml must contain only tables [[skip]]');
  return skip.map((table: unknown) => {
    const entry = table as AllowedSkip;
    for (const [key, least] of Object.entries(LEAST_LENGTHS)) {
      const value: unknown = entry[key as keyof AllowedSkip];
      if (typeof value !== 'string' || value.length < least)
        throw new Error(`skips.toml: each entry must have ${key} with at least ${least} characters: ${entry.file}`);
    }
    if (!isFile(entry.file)) throw new Error(`skips.toml: the test ${entry.file} does not exist; delete the entry`);
    return { file: entry.file, says: entry.says, reason: entry.reason };
  });
}

/** @returns the verdict with skips that are not allowed counted as failures */
export function withoutUnlisted<V extends Verdict>(verdict: V, allowed: readonly AllowedSkip[]): V {
  const covers = (reason: string) => allowed.some(({ file, says }) => file === verdict.file && reason.includes(says));
  const unlisted = verdict.skips.filter((reason) => !covers(reason));
  return {
    ...verdict,
    failed: verdict.failed + unlisted.length,
    skips: verdict.skips.filter(covers),
    problems: [...verdict.problems, ...unlisted.map((reason) => `it was skipped, which test/skips.toml does not allow: ${reason}`)],
  };
}

/** @returns entries without a matching skip in this run. Skips depend on the machine, so such entries are reported but are not failures. */
export function unused(allowed: readonly AllowedSkip[], verdicts: readonly Verdict[]): AllowedSkip[] {
  return allowed.filter(({ file, says }) => verdicts.some((each) => each.file === file && !each.skips.some((reason) => reason.includes(says))));
}
