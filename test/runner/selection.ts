// Selects the test files of a run, in their order.

export interface Selection {
  /** Files of which several run at the same time. */
  readonly beside: readonly string[];
  /** Files that measure or exhaust the machine. They run alone, after the others. */
  readonly alone: readonly string[];
  /** Arguments that match no file. A typing error must not look like a run that passed. */
  readonly unmatched: readonly string[];
}

/** @param files paths of all test files @param parts parts of paths to select; an empty list selects all files */
export function select(files: readonly string[], parts: readonly string[]): Selection {
  const chosen = files.filter((file) => parts.length === 0 || parts.some((part) => file.includes(part))).sort();
  const isAlone = (file: string) => file.endsWith('.alone.test.ts');
  return {
    beside: chosen.filter((file) => !isAlone(file)),
    alone: chosen.filter(isAlone),
    unmatched: parts.filter((part) => !files.some((file) => file.includes(part))),
  };
}
