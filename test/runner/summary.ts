// Makes the output of a run: a line per file, and a summary whose last line has the counts.
import type { AllowedSkip } from './skip-list.ts';
import type { Verdict } from './verdict.ts';

const nameOf = ({ file, store }: Verdict): string => (store === undefined ? file : `${file} on ${store}`);

/** @returns a line about one file; if something failed, also its output and problems */
export function describe(verdict: Verdict): string {
  const { passed, failed, problems, output, seconds } = verdict;
  const file = nameOf(verdict);
  const counts = `${passed} passed${failed > 0 ? `, ${failed} failed` : ''}, ${seconds.toFixed(1)} s`;
  const line = `${failed > 0 ? 'FAIL' : 'ok  '} ${file} (${counts})`;
  return failed === 0 ? line : [line, output.trimEnd(), ...problems.map((problem) => `${file}: ${problem}`)].join('\n');
}

/** @param stale unused entries of the list of skips @param trouble problems of the run as a whole, each counted as a failure */
export function summary(verdicts: readonly Verdict[], stale: readonly AllowedSkip[] = [], trouble: readonly string[] = []): string[] {
  const sum = (pick: (verdict: Verdict) => number) => verdicts.reduce((total, verdict) => total + pick(verdict), 0);
  const skips = [...new Set(verdicts.flatMap((verdict) => verdict.skips))];
  const failed = sum((verdict) => verdict.failed) + trouble.length;
  return [
    ...skips.map((reason) => `skipped: ${reason}`),
    ...stale.map(({ file, says }) => `not skipped here, though test/skips.toml allows it: ${file}: ${says}`),
    ...verdicts.filter(({ isUnsteady }) => isUnsteady).map((verdict) => `unsteady, failed among others and passed by itself: ${nameOf(verdict)}`),
    ...verdicts.filter((verdict) => verdict.failed > 0).map((verdict) => `failed: ${nameOf(verdict)}`),
    ...trouble,
    `${sum(({ passed }) => passed)} passed, ${failed} failed${skips.length > 0 ? `, ${skips.length} skipped` : ''}`,
  ];
}

/** @returns 0 only if something ran and nothing failed */
export function exitStatus(verdicts: readonly Verdict[], trouble: readonly string[]): 0 | 1 {
  return trouble.length === 0 && verdicts.length > 0 && verdicts.every(({ failed }) => failed === 0) ? 0 : 1;
}
