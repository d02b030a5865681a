// Runs test files, each in its own process and some in parallel, and reports the results.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ProcessLimits, runFile } from './file-process.ts';
import { type RunPostgres, runsOnBoth, startRunPostgres, wantsPostgres } from './run-postgres.ts';
import { type Done, type Job, withSecondRuns } from './second-runs.ts';
import { select } from './selection.ts';
import { type AllowedSkip, readSkipList, unused, withoutUnlisted } from './skip-list.ts';
import { describe, exitStatus, summary } from './summary.ts';
import { verdict } from './verdict.ts';

export interface TestRun extends ProcessLimits {
  /** Folder that contains `test` with the files and `test/skips.toml`. */
  readonly root: string;
  /** Parts of paths to select; an empty list runs all files. */
  readonly parts: readonly string[];
  /** Number of files at the same time. */
  readonly width: number;
  /** Whether a skip that is not on the list is a failure. */
  readonly isStrict: boolean;
  readonly print: (line: string) => void;
}

/** Factor of the time limit for files that run alone: each attack takes half a minute. */
const ALONE = 4;

/** @returns the exit status */
export async function runTests(run: TestRun): Promise<0 | 1> {
  const files = globSync('test/**/*.test.ts', { cwd: run.root });
  const trouble: string[] = [];
  const allowed = skipList(run.root, files, trouble);
  const { beside, alone, unmatched } = select(files, run.parts);
  trouble.push(...unmatched.map((part) => `no test file has "${part}" in its path; check the spelling`));
  const both = beside.filter((file) => runsOnBoth(run.root, file));
  const postgres = beside.some((file) => wantsPostgres(run.root, file)) ? await startRunPostgres() : undefined;
  const without = 'the key server was not tested on PostgreSQL, which needs the package postgresql';
  if (both.length > 0 && !postgres && run.isStrict) trouble.push(without);
  else if (both.length > 0 && !postgres) run.print(`skipped: ${without}`);
  const jobs: Job[] = [...beside.map(once), ...(postgres ? both.map((file) => ({ file, isSecond: true })) : [])];
  const long = { ...run, limitMs: run.limitMs * ALONE };
  const first = [...(await runAll(jobs, run.width, run, allowed, postgres)), ...(await runAll(alone.map(once), 1, long, allowed, postgres))];
  const verdicts = await withSecondRuns(first, (job) => runAll([job], 1, long, allowed, postgres), run.print);
  await postgres?.stop();
  for (const line of summary(verdicts, unused(allowed, verdicts), trouble)) run.print(line);
  return exitStatus(verdicts, trouble);
}

/** A list that cannot be read allows no skips and makes the run fail. */
function skipList(root: string, files: readonly string[], trouble: string[]): AllowedSkip[] {
  const path = join(root, 'test/skips.toml');
  try {
    return existsSync(path) ? readSkipList(readFileSync(path, 'utf8'), (file) => files.includes(file)) : [];
  } catch (error) {
    trouble.push(error instanceof Error ? error.message : String(error));
    return [];
  }
}

const once = (file: string): Job => ({ file, isSecond: false });

async function runAll(jobs: readonly Job[], width: number, run: TestRun, allowed: readonly AllowedSkip[], postgres: RunPostgres | undefined): Promise<Done[]> {
  const waiting = [...jobs];
  const done: Done[] = [];
  const worker = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      const plain = { ...verdict(await runFile(run.root, job.file, run, postgres?.env(job.isSecond))), job };
      const named = job.isSecond ? { ...plain, store: 'PostgreSQL' } : plain;
      const judged = run.isStrict ? withoutUnlisted(named, allowed) : named;
      done.push(judged);
      run.print(describe(judged));
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return done;
}
