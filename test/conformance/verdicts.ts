// What a conformance runner printed, held against the exceptions.
import type { Exception } from './exceptions.ts';

interface Summary {
  readonly passed: number;
  /** Failures that no exception covers. */
  readonly failed: number;
  readonly excepted: number;
  readonly skipped: number;
  /** What has to be mended, in words; empty where all is well. */
  readonly problems: readonly string[];
}

const VERDICT = /^(PASS|FAIL|WORDING|SKIP) (\S+)(?:\s+(.*))?$/;
const COUNTS = /^(\d+) passed, (\d+) failed(?:, \d+ skipped)?$/;

/**
 * @param output lines `PASS|FAIL|WORDING|SKIP name  why` and a last line `N passed, M failed[, K skipped]`; a difference in wording alone counts as passed
 * @param exceptions those that name no case of this run are left alone: the suite exists in several versions
 */
export function judge(output: string, exceptions: readonly Exception[]): Summary {
  const lines = output.trimEnd().split('\n');
  const verdicts = lines.flatMap((line) => {
    const [, verdict, name, why] = VERDICT.exec(line) ?? [];
    return verdict !== undefined && name !== undefined ? [{ verdict, name, why }] : [];
  });
  const excepted = new Set(exceptions.map(({ name }) => name));
  const failures = verdicts.filter(({ verdict }) => verdict === 'FAIL');
  const passes = verdicts.filter(({ verdict }) => verdict === 'PASS' || verdict === 'WORDING');
  const unexpected = failures.filter(({ name }) => !excepted.has(name));
  return {
    passed: passes.length,
    failed: unexpected.length,
    excepted: failures.length - unexpected.length,
    skipped: verdicts.filter(({ verdict }) => verdict === 'SKIP').length,
    problems: [
      ...incomplete(lines.at(-1) ?? '', passes.length, failures.length),
      ...unexpected.map(({ name, why = 'failed' }) => `${name}: ${why}`),
      ...passes.filter(({ name }) => excepted.has(name)).map(({ name }) => `${name}: passes, its exception is stale`),
    ],
  };
}

/** A runner that broke off must not look like one that had nothing to say. */
function incomplete(last: string, passed: number, failed: number): string[] {
  const [, saidPassed, saidFailed] = COUNTS.exec(last) ?? [];
  if (saidPassed === undefined) return [`the runner broke off: ${last.slice(0, 200)}`];
  if (Number(saidPassed) !== passed || Number(saidFailed) !== failed) return [`the runner counts ${last}, its lines say ${passed} and ${failed}`];
  return passed + failed === 0 ? ['the runner ran nothing'] : [];
}
