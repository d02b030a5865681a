// What uvu prints at the end of a file.

export interface ClosingLines {
  /** Tests that were run; those left out by `skip` or `only` are not among them. */
  readonly total: number;
  readonly passed: number;
  readonly skipped: number;
}

const CLOSING_LINES = /^ {2}Total: +(\d+)\n {2}Passed: +(\d+)\n {2}Skipped: +(\d+)\n {2}Duration: +\S+$/gm;

/** @returns the last ones: a test may print those of a run of its own; undefined where there are none */
export function closingLines(output: string): ClosingLines | undefined {
  const last = [...output.matchAll(CLOSING_LINES)].at(-1);
  if (last === undefined) return undefined;
  const [total = 0, passed = 0, skipped = 0] = last.slice(1).map(Number);
  return { total, passed, skipped };
}
