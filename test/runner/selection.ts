// Which test files a run has, in the order they run in.

export interface Selection {
  /** Several of these run at once. */
  readonly beside: readonly string[];
  /** Files that measure or exhaust the machine run by themselves, after the others. */
  readonly alone: readonly string[];
  /** Words of the command line that are part of no file's path: a slip of the pen must not look like a run that passed. */
  readonly unmatched: readonly string[];
}

/** @param files paths of all test files @param parts of paths; none selects all */
export function select(files: readonly string[], parts: readonly string[]): Selection {
  const chosen = files.filter((file) => parts.length === 0 || parts.some((part) => file.includes(part))).sort();
  const isAlone = (file: string) => file.endsWith('.alone.test.ts');
  return {
    beside: chosen.filter((file) => !isAlone(file)),
    alone: chosen.filter(isAlone),
    unmatched: parts.filter((part) => !files.some((file) => file.includes(part))),
  };
}
