// `npm run bench`: runs the named questions, or all of them, each in a separate process. The exit status is 1 if a limit or a question fails, 2 for a bad option.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { argumentsOf, type Invocation, OptionError, parseOptions, USAGE } from './options.ts';
import { LIMIT_FAILED } from './report/report.ts';

const SUFFIX = '.bench.ts';
const BAD_OPTION = 2;

try {
  const invocation = parseOptions(process.argv.slice(2));
  const all = readdirSync(invocation.folder).flatMap((file) => (file.endsWith(SUFFIX) ? [file.slice(0, -SUFFIX.length)] : []));
  if (invocation.isHelp) console.log(`${USAGE}\n\nquestions: ${all.join(', ')}`);
  else process.exitCode = run(invocation, questionsOf(invocation.questions, all));
} catch (error) {
  if (!(error instanceof OptionError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = BAD_OPTION;
}

/** @throws OptionError naming the questions that do not exist */
function questionsOf(wanted: readonly string[], all: readonly string[]): readonly string[] {
  const unknown = wanted.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new OptionError(`no such question: ${unknown.join(', ')}; there are ${all.join(', ')}`);
  return wanted.length === 0 ? all : wanted;
}

/** Runs all of them, even if some fail. @returns the exit status */
function run(invocation: Invocation, questions: readonly string[]): number {
  const failures = questions.flatMap((name) => {
    const file = join(invocation.folder, name + SUFFIX);
    const { status, signal } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', file, ...argumentsOf(invocation)], { stdio: 'inherit' });
    if (status === 0) return [];
    return [`${name}: ${status === LIMIT_FAILED ? 'a limit fails' : `it broke, with ${signal ?? `status ${status}`}`}`];
  });
  for (const failure of failures) console.error(failure);
  return failures.length > 0 ? 1 : 0;
}
