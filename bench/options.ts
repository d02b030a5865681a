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
  /** Of the question hsm-routing: numbers of HSM instances, what their keys do, the PKCS#11 library, and what befalls the first instance. */
  readonly instances: readonly number[];
  readonly operations: readonly HsmOperation[];
  readonly library: string;
  readonly fault: HsmFault | undefined;
  /** Of the questions rows and views: numbers of objects and of audit rows, the database (`postgres` starts one), and the folder of a server that is kept. */
  readonly objects: number;
  readonly audit: number;
  readonly store: string;
  readonly folderOfServer: string | undefined;
}

const HSM_OPERATIONS = ['aes-gcm', 'rsa-sign', 'ec-sign', 'create'] as const;
export type HsmOperation = (typeof HSM_OPERATIONS)[number];
const HSM_FAULTS = ['hang', 'crash', 'slow'] as const;
export type HsmFault = (typeof HSM_FAULTS)[number];

export interface Invocation extends BenchOptions {
  readonly questions: readonly string[];
  readonly isHelp: boolean;
  /** Folder of the questions, for tests. */
  readonly folder: string;
}

/** For the operator: what was wrong, and what is allowed. */
export class OptionError extends Error {}

const HERE = fileURLToPath(new URL('.', import.meta.url));
const MAX = { seconds: 600, connections: 1_000, rounds: 100, instances: 16, rows: 1_000_000_000 } as const;

export const USAGE = `usage: npm run bench -- [question ...] [options]

  --seconds N            length of one turn in seconds, 0.1 to ${MAX.seconds}; default 1
  --connections N,N,...  numbers of connections, 1 to ${MAX.connections} each; default 1,16,64
  --rounds N             turns of each subject, 1 to ${MAX.rounds}; results are medians; default 5
  --only TEXT            only subjects whose name contains TEXT
  --instances N,N,...    hsm-routing: numbers of HSM instances, 1 to ${MAX.instances} each; default 1,2,4,8
  --operation NAME,...   hsm-routing: ${HSM_OPERATIONS.join(', ')}; default aes-gcm,rsa-sign
  --library PATH         hsm-routing: PKCS#11 library with tokens as SoftHSM has them; default that of SoftHSM
  --fault NAME           hsm-routing: ${HSM_FAULTS.join(', ')} befalls the first instance; a chart over time
  --objects N, --audit N rows, views: numbers of keys and of audit rows; default 50000 and 200000
  --store URL            rows, views: sqlite:gatehouse.db (default), postgres for one of its own, or the address of an empty PostgreSQL database
  --server FOLDER        rows, views: keeps the server and what it was filled with in this folder, for the next run
  --json                 print one line of JSON for each question, and nothing else
  --results FOLDER       where the results of the last run are, and where those of this run go; default bench/results
  --help                 print this text

The exit status is 1 if a limit or a question fails, 2 for a bad option.`;

const OPTIONS = {
  seconds: { type: 'string', default: '1' },
  connections: { type: 'string', default: '1,16,64' },
  rounds: { type: 'string', default: '5' },
  only: { type: 'string' },
  instances: { type: 'string', default: '1,2,4,8' },
  operation: { type: 'string', default: 'aes-gcm,rsa-sign' },
  library: { type: 'string', default: '/usr/lib/softhsm/libsofthsm2.so' },
  fault: { type: 'string' },
  objects: { type: 'string', default: '50000' },
  audit: { type: 'string', default: '200000' },
  store: { type: 'string', default: 'sqlite:gatehouse.db' },
  server: { type: 'string' },
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
    instances: values.instances.split(',').map((each) => wholeOf('--instances', each, MAX.instances)),
    operations: values.operation.split(',').map((each) => oneOf('--operation', each, HSM_OPERATIONS)),
    library: values.library,
    fault: values.fault === undefined ? undefined : oneOf('--fault', values.fault, HSM_FAULTS),
    objects: wholeOf('--objects', values.objects, MAX.rows),
    audit: wholeOf('--audit', values.audit, MAX.rows),
    store: values.store,
    folderOfServer: values.server,
  };
}

/** The arguments with which a question gets the same options. */
export function argumentsOf({ seconds, connections, rounds, isJson, only, results, objects, audit, store, folderOfServer, ...hsm }: BenchOptions): string[] {
  const ofHsm = [`--instances=${hsm.instances.join(',')}`, `--operation=${hsm.operations.join(',')}`, `--library=${hsm.library}`];
  const ofRows = [`--objects=${objects}`, `--audit=${audit}`, `--store=${store}`, ...(folderOfServer === undefined ? [] : [`--server=${folderOfServer}`])];
  const flags = [
    ...ofHsm,
    ...ofRows,
    ...(hsm.fault === undefined ? [] : [`--fault=${hsm.fault}`]),
    `--seconds=${seconds}`,
    `--connections=${connections.join(',')}`,
    `--rounds=${rounds}`,
    `--results=${results}`,
  ];
  return [...flags, ...(only === undefined ? [] : [`--only=${only}`]), ...(isJson ? ['--json'] : [])];
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw new OptionError((error as Error).message.replace(/\. To specify a positional.*$/s, ''));
  }
}

function oneOf<T extends string>(name: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === text);
  if (found) return found;
  throw new OptionError(`${name} must be one of ${allowed.join(', ')}, not '${text}'`);
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
