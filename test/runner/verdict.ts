// Judges the result of one test file: anything but a complete run without failed tests is a failure with an explanation.
import { closingLines } from './closing-lines.ts';
import type { Ended } from './file-process.ts';

export interface Verdict {
  readonly file: string;
  /** The database, if it is not the usual one. */
  readonly store?: string;
  readonly passed: number;
  readonly failed: number;
  /** The distinct reasons why tests or the whole file were skipped. */
  readonly skips: readonly string[];
  /** Problems other than failed tests. */
  readonly problems: readonly string[];
  readonly output: string;
  readonly seconds: number;
  /** It failed among others, and passed by itself. */
  readonly isUnsteady?: boolean;
}

const SKIPPED = /^skipped: (.*)$/gm;

export function verdict(ended: Ended): Verdict {
  const { file, output, code, suites, seconds } = ended;
  const lines = closingLines(output);
  const said = [...new Set([...output.matchAll(SKIPPED)].map((match) => match[1] as string))];
  const skips = said.length === 0 && lines && lines.skipped > 0 ? [`${lines.skipped} by uvu's skip or only, without a line "skipped: why"`] : said;
  const failedTests = lines ? Math.max(0, lines.total - lines.passed) : 0;
  const problems = troubles(ended);
  if (lines && lines.passed > lines.total) problems.push(`its closing lines are not plausible: ${lines.passed} of ${lines.total} passed`);
  const isSkipped = skips.length > 0;
  if (lines?.total === 0 && !isSkipped) problems.push('it has no tests');
  if (!lines && problems.length === 0) {
    if (code !== 0) problems.push(`it broke off with status ${code}`);
    else if (suites !== 0) problems.push('it broke off: it ended before uvu said what came of its tests');
    else if (!isSkipped) problems.push('it runs no tests: is test.run() missing?');
  }
  if (lines && code !== 0 && failedTests === 0 && problems.length === 0) problems.push(`all its tests passed, and it ended with status ${code}`);
  return { file, passed: lines?.passed ?? 0, failed: failedTests + problems.length, skips, problems, output, seconds };
}

/** @returns problems of the process, whatever it printed */
function troubles({ overran, leftOpen, code, seconds }: Ended): string[] {
  if (overran) return [`it ran for more than ${Math.floor(seconds)} s and was killed`];
  if (leftOpen) return ['it left a process behind that held its output'];
  return code === null ? ['a signal ended it'] : [];
}
