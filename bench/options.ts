// The options of `npm run bench`, which the runner checks and passes on to every question.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

export interface BenchOptions {
  /** Length of one turn. */
  readonly seconds: number;
  /** Numbers of connections, for the questions that compare several. */
  readonly connections: readonly number[];
  /** Turns of each subject; results are their medians. */
  readonly rounds: number;
  /** Standard output has one line of JSON for each question, and nothing else. */
  readonly isJson: boolean;
  /** Only subjects whose name contains this text, in any case. */
  readonly only: string | undefined;
  /** Folder of the result files. */
  readonly results: string;
}

export interface Invocation extends BenchOptions {
  readonly questions: readonly string[];
  readonly isHelp: boolean;
  /** Folder of the questions, for tests. */
  readonly folder: string;
}

/** For the operator: what was wrong, and what is allowed. */
export class OptionError extends Error {}

const HERE = fileURLToPath(new URL('.', import.meta.url));
const MAX = { seconds: 600, connections: 1_000, rounds: 100 } as const;

export const USAGE = `usage: npm run bench -- [question ...] [options]

  --seconds N            length of one turn in seconds, 0.1 to ${MAX.seconds}; default 1
  --connections N,N,...  numbers of connections, 1 to ${MAX.connections} each; default 1,16,64
  --rounds N             turns of each subject, 1 to ${MAX.rounds}; results are medians; default 5
  --only TEXT            only subjects whose name contains TEXT
  --json                 print one line of JSON for each question, and nothing else
  --results FOLDER       where the results of the last run are, and where those of this run go; default bench/results
  --help                 print this text

The exit status is 1 if a limit or a question fails, 2 for a bad option.`;

const OPTIONS = {
  seconds: { type: 'string', default: '1' },
  connections: { type: 'string', default: '1,16,64' },
  rounds: { type: 'string', default: '5' },
  only: { type: 'string' },
  json: { type: 'boolean', default: false },
  results: { type: 'string', default: `${HERE}results` },
  folder: { type: 'string', default: HERE },
  help: { type: 'boolean', default: false },
} as const;

/** @throws OptionError */
export function parseOptions(argv: readonly string[]): Invocation {
  const { values, positionals } = parsed(argv);
  return {
    questions: positionals,
    isHelp: values.help,
    isJson: values.json,
    only: values.only,
    results: values.results,
    folder: values.folder,
    seconds: numberOf('--seconds', values.seconds, 0.1, MAX.seconds),
    rounds: wholeOf('--rounds', values.rounds, MAX.rounds),
    connections: values.connections.split(',').map((each) => wholeOf('--connections', each, MAX.connections)),
  };
}

/** The arguments with which a question gets the same options. */
export function argumentsOf({ seconds, connections, rounds, isJson, only, results }: BenchOptions): string[] {
  const flags = [`--seconds=${seconds}`, `--connections=${connections.join(',')}`, `--rounds=${rounds}`, `--results=${results}`];
  return [...flags, ...(only === undefined ? [] : [`--only=${only}`]), ...(isJson ? ['--json'] : [])];
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw new OptionError((error as Error).message.replace(/\. To specify a positional.*$/s, ''));
  }
}

function numberOf(name: string, text: string, least: number, most: number): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= least && value <= most) return value;
  throw new OptionError(`${name} must be a number from ${least} to ${most}, not '${text}'`);
}

function wholeOf(name: string, text: string, most: number): number {
  const value = numberOf(name, text, 1, most);
  if (Number.isInteger(value)) return value;
  throw new OptionError(`${name} must be a whole number, not '${text}'`);
}
