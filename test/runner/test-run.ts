// A run of test files: each in a process of its own, some beside each other, and what came of them all.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ProcessLimits, runFile } from './file-process.ts';
import { select } from './selection.ts';
import { type AllowedSkip, readSkipList, unused, withoutUnlisted } from './skip-list.ts';
import { describe, exitStatus, summary } from './summary.ts';
import { type Verdict, verdict } from './verdict.ts';

export interface TestRun extends ProcessLimits {
  /** Folder whose `test` holds the files, and `test/skips.toml`. */
  readonly root: string;
  /** Parts of paths; none runs all. */
  readonly parts: readonly string[];
  /** Files at once. */
  readonly width: number;
  /** Whether a skip that the list does not name is a failure. */
  readonly isStrict: boolean;
  readonly print: (line: string) => void;
}

/** What measures or exhausts the machine may take longer: the attacks have half a minute each. */
const ALONE = 4;

/** @returns the exit status */
export async function runTests(run: TestRun): Promise<0 | 1> {
  const files = globSync('test/**/*.test.ts', { cwd: run.root });
  const trouble: string[] = [];
  const allowed = skipList(run.root, files, trouble);
  const { beside, alone, unmatched } = select(files, run.parts);
  const verdicts = [...(await runAll(beside, run.width, run, allowed)), ...(await runAll(alone, 1, { ...run, limitMs: run.limitMs * ALONE }, allowed))];
  trouble.push(...unmatched.map((part) => `no test file has "${part}" in its path`));
  for (const line of summary(verdicts, unused(allowed, verdicts), trouble)) run.print(line);
  return exitStatus(verdicts, trouble);
}

/** A list that cannot be read allows nothing, and fails the run at its end. */
function skipList(root: string, files: readonly string[], trouble: string[]): AllowedSkip[] {
  const path = join(root, 'test/skips.toml');
  try {
    return existsSync(path) ? readSkipList(readFileSync(path, 'utf8'), (file) => files.includes(file)) : [];
  } catch (error) {
    trouble.push(error instanceof Error ? error.message : String(error));
    return [];
  }
}

async function runAll(files: readonly string[], width: number, run: TestRun, allowed: readonly AllowedSkip[]): Promise<Verdict[]> {
  const waiting = [...files];
  const done: Verdict[] = [];
  const worker = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const plain = verdict(await runFile(run.root, file, run));
      const judged = run.isStrict ? withoutUnlisted(plain, allowed) : plain;
      done.push(judged);
      run.print(describe(judged));
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return done;
}
