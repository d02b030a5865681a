// Runs again, by itself, what failed among many: a machine that was too busy is told apart from a defect, and the file is named all the same.
import type { Verdict } from './verdict.ts';

/** A file of a run. */
export interface Job {
  readonly file: string;
  /** Whether it is the file's second run, on PostgreSQL. */
  readonly isSecond: boolean;
}

export interface Done extends Verdict {
  readonly job: Job;
}

/** More failures than this are not the machine's. */
const MOST = 5;

/** @param again runs one file while nothing runs beside it @returns the verdicts that count, in the same order */
export async function withSecondRuns(first: readonly Done[], again: (job: Job) => Promise<Done[]>, print: (line: string) => void): Promise<Done[]> {
  const failed = first.filter((done) => done.failed > 0);
  // A file that was the only one has had the machine to itself.
  if (first.length === 1 || failed.length > MOST) return [...first];
  const second = new Map<Done, Done>();
  for (const done of failed) {
    print(`again, by itself: ${done.file}`);
    const [verdict] = await again(done.job);
    if (verdict) second.set(done, verdict.failed > 0 ? verdict : { ...verdict, isUnsteady: true });
  }
  return first.map((done) => second.get(done) ?? done);
}
