// The options of `npm run soak`.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FAULT_NAMES } from './faults/index.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Names of the faults that happen. */
  readonly faults: readonly string[];
  readonly store: 'sqlite' | 'postgres';
  /** Clients of each kind. */
  readonly clients: number;
  /** Folder of the report; empty: none is written. */
  readonly results: string;
  /** Prints nothing but the verdict, unless something is wrong. */
  readonly isQuiet: boolean;
  /** Folder where the logs of the nodes go at the end; empty: nowhere. */
  readonly logs: string;
}

export interface SoakInvocation extends SoakOptions {
  readonly isHelp: boolean;
}

/** For the operator: what was wrong, and what is allowed. */
export class OptionError extends Error {}

const MAX = { minutes: 24 * 60, clients: 64 } as const;
const STORES = ['sqlite', 'postgres'] as const;

export const USAGE = `usage: npm run soak -- [options]

  --minutes N        length of the load, 0.2 to ${MAX.minutes}; default 3
  --store NAME       ${STORES.join(' or ')}; default sqlite. postgres: a PostgreSQL of its own, and two nodes
  --faults A,B,...   which faults happen; default all that can happen here; none: only the load
                     ${FAULT_NAMES.join(', ')}
  --seed N           repeats the order of the faults and the choices of the clients; default: a new one each time
  --clients N        clients of each kind, 1 to ${MAX.clients}; default 2
  --results FOLDER   where soak.json goes; default bench/results; empty: nowhere
  --logs FOLDER      where the logs of the nodes go
  --quiet            print the verdict only, unless something is wrong
  --help             print this text

The exit status is 1 if a promise is broken or a fault did not happen, 2 for a bad option.`;

const OPTIONS = {
  minutes: { type: 'string', default: '3' },
  store: { type: 'string', default: 'sqlite' },
  faults: { type: 'string', default: FAULT_NAMES.join(',') },
  seed: { type: 'string' },
  clients: { type: 'string', default: '2' },
  results: { type: 'string', default: fileURLToPath(new URL('../bench/results', import.meta.url)) },
  logs: { type: 'string', default: '' },
  quiet: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** @throws OptionError */
export function parseOptions(argv: readonly string[]): SoakInvocation {
  const values = parsed(argv);
  const store = STORES.find((each) => each === values.store);
  if (!store) throw new OptionError(`--store must be one of ${STORES.join(', ')}, not '${values.store}'`);
  return {
    store,
    minutes: numberOf('--minutes', values.minutes, 0.2, MAX.minutes),
    clients: Math.floor(numberOf('--clients', values.clients, 1, MAX.clients)),
    seed: values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Math.floor(numberOf('--seed', values.seed, 0, 2 ** 32)),
    faults: faultsOf(values.faults),
    results: values.results,
    isQuiet: values.quiet,
    logs: values.logs,
    isHelp: values.help,
  };
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS }).values;
  } catch (error) {
    throw new OptionError((error as Error).message.replace(/\. To specify a positional.*$/s, ''));
  }
}

function faultsOf(text: string): readonly string[] {
  if (text === 'none') return [];
  const names = text.split(',');
  const unknown = names.filter((name) => !FAULT_NAMES.includes(name));
  if (unknown.length > 0) throw new OptionError(`no such fault: ${unknown.join(', ')}; there are ${FAULT_NAMES.join(', ')}`);
  return names;
}

function numberOf(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (text === '' || !(value >= min && value <= max)) throw new OptionError(`${name} must be a number from ${min} to ${max}, not '${text}'`);
  return value;
}
