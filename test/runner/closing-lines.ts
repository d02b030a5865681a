// Parses the lines that uvu prints at the end of a file.

export interface ClosingLines {
  /** Tests that ran, without those excluded by `skip` or `only`. */
  readonly total: number;
  readonly passed: number;
  readonly skipped: number;
}

const CLOSING_LINES = /^ {2}Total: +(\d+)\n {2}Passed: +(\d+)\n {2}Skipped: +(\d+)\n {2}Duration: +\S+$/gm;

/** @returns the last such lines, because a test may print those of a nested run; undefined if there are none */
export function closingLines(output: string): ClosingLines | undefined {
  const last = [...output.matchAll(CLOSING_LINES)].at(-1);
  if (last === undefined) return undefined;
  const [total = 0, passed = 0, skipped = 0] = last.slice(1).map(Number);
  return { total, passed, skipped };
}
