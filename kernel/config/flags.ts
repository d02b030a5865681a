// Parses the command line of the server: the flags of the kernel and of the plugins.
import { parseArgs } from 'node:util';
import { OWN_COMMANDS } from '../own-commands.ts';
import { parseReference } from './secret.ts';

/** A flag of the kernel or of a plugin. It takes one value unless it is a switch. */
export interface FlagSpec {
  readonly about: string;
  /** Takes `file:PATH` and `env:NAME`, because others can see a command line. */
  readonly secret?: true;
  /** Takes no value. */
  readonly switch?: true;
  /** May be given several times; each time adds a value. */
  readonly repeatable?: true;
}

export type FlagValues = Readonly<Record<string, readonly unknown[]>>;

export interface Flags {
  readonly config: string | undefined;
  readonly dataDir: string | undefined;
  readonly host: string | undefined;
  readonly port: string | undefined;
  /** The file of a backup to write, and the file of a backup to restore. */
  readonly backup: string | undefined;
  readonly restore: string | undefined;
  /** The address of the database to copy the store to, or a reference to a file or a variable that holds it. */
  readonly copyStore: unknown;
  readonly rotateKek: boolean;
  /** The secret, or a reference to a file or a variable that holds it. */
  readonly newRootKey: unknown;
  readonly help: boolean;
  readonly version: boolean;
  /** Values of the plugins' flags, in the order given. */
  readonly plugin: FlagValues;
  /** Flags with a secret on the command line, where other users can see it. */
  readonly exposed: readonly string[];
  readonly problems: readonly string[];
}

/** Flags of the kernel, without --help and --version. */
export const KERNEL_FLAGS: Readonly<Record<string, FlagSpec>> = {
  config: { about: 'configuration file (default: config.toml if it exists)' },
  'data-dir': { about: 'data folder (default: data)' },
  host: { about: 'address to listen on; overrides [http] host' },
  port: { about: 'port to listen on, 0 for any free port; overrides [http] port' },
  backup: { about: 'write a backup of the store to this new file, without the root key, and exit; the server may be running' },
  restore: { about: 'read a backup into an empty store, and exit' },
  'copy-store': {
    about: 'copy the store to another database and exit: sqlite:FILE, postgres://..., or file:PATH or env:NAME with that; all servers are stopped',
    secret: true,
  },
  'rotate-kek': {
    about: 'wrap the data keys of the server with a new root key, or with the key-encryption key that is configured now, then start',
    switch: true,
  },
  'new-root-key': { about: 'the new root key: file:PATH or env:NAME (default: a random key, if the old one is root.key in the data folder)', secret: true },
};

const LAST: Readonly<Record<string, FlagSpec>> = {
  help: { about: 'print this text', switch: true },
  version: { about: 'print the version', switch: true },
};

export function parseFlags(argv: readonly string[], declared: Readonly<Record<string, FlagSpec>>): Flags {
  const { values, plugin, exposed, problems } = readTokens(argv, declared);
  const text = (name: string) => values[name] as string | undefined;
  return {
    config: text('config'),
    dataDir: text('data-dir'),
    host: text('host'),
    port: text('port'),
    backup: text('backup'),
    restore: text('restore'),
    copyStore: values['copy-store'],
    rotateKek: 'rotate-kek' in values,
    newRootKey: values['new-root-key'],
    help: 'help' in values,
    version: 'version' in values,
    plugin,
    exposed,
    problems: [...problems, ...combinations(values), ...withoutStart(values, plugin, declared)],
  };
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number];

interface Given {
  /** Values of the kernel's flags. */
  readonly values: Record<string, unknown>;
  /** Values of the plugins' flags. */
  readonly plugin: Record<string, unknown[]>;
  readonly exposed: string[];
  readonly problems: string[];
}

function readTokens(argv: readonly string[], declared: Readonly<Record<string, FlagSpec>>): Given {
  const own = { ...KERNEL_FLAGS, ...LAST };
  const specs = { ...declared, ...own };
  const options = Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, optionOf(name, spec)]));
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true, allowPositionals: true });
  const given: Given = { values: {}, plugin: {}, exposed: [], problems: [] };
  const { values, plugin, exposed, problems } = given;
  const repeated = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    if (token.kind === 'positional' && !isValueOf(tokens[at - 1], specs)) problems.push(`${shown(token.value)}: is not a flag; --help lists the flags`);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
    if (!spec) problems.push(`${rawName}: unknown flag; --help lists the flags`);
    // Of --rotate-kek=false the false would be passed over.
    else if (spec.switch && value !== undefined) problems.push(`${rawName}: takes no value`);
    else if (spec.switch) (name in own ? values : plugin)[name] = [true];
    else if (!spec.repeatable && (Object.hasOwn(values, name) || Object.hasOwn(plugin, name))) repeated.add(rawName);
    // An empty one, of a variable of a script that is not set, would be the folder of the moment.
    else if (value === undefined || value === '' || (value.startsWith('--') && !token.inlineValue)) problems.push(`${rawName}: needs a value`);
    else {
      const parsed = spec.secret ? parseReference(value) : value;
      if (spec.secret && typeof parsed === 'string') exposed.push(rawName);
      if (name in own) values[name] = parsed;
      else plugin[name] = [...(plugin[name] ?? []), parsed];
    }
  }
  // Refused, because it would be unclear which value is used.
  problems.push(...[...repeated].map((name) => `${name}: was given more than once; give it once`));
  return given;
}

/** What follows an unknown flag is likely its value, and may be a secret. */
function isValueOf(before: Token | undefined, specs: Readonly<Record<string, FlagSpec>>): boolean {
  return before?.kind === 'option' && before.value === undefined && !Object.hasOwn(specs, before.name);
}

/** A word is shown; an address of a database has a password. */
const shown = (value: string) => (/^[\w./-]{1,64}$/.test(value) ? value : 'an argument');

function optionOf(name: string, spec: FlagSpec) {
  return { type: spec.switch ? ('boolean' as const) : ('string' as const), multiple: true, ...(name === 'help' ? { short: 'h' } : {}) };
}

function combinations(given: Readonly<Record<string, unknown>>): string[] {
  const jobs = ['backup', 'restore', 'copy-store', 'rotate-kek'].filter((name) => name in given);
  return [
    ...(jobs.length > 1 ? [`--${jobs.join(' and --')}: cannot be combined; use one of them`] : []),
    ...('new-root-key' in given && !('rotate-kek' in given) ? ['--new-root-key: has an effect only with --rotate-kek'] : []),
  ];
}

/** A switch of a plugin is for a start of the server, and these jobs start none. */
function withoutStart(given: Readonly<Record<string, unknown>>, plugin: FlagValues, declared: Readonly<Record<string, FlagSpec>>): string[] {
  const job = ['backup', 'restore', 'copy-store'].find((name) => name in given);
  const switches = job === undefined ? [] : Object.keys(plugin).filter((name) => declared[name]?.switch);
  return switches.map((name) => `--${name}: has no effect with --${job}, which starts no server; give it at a start`);
}

export function usage(declared: Readonly<Record<string, FlagSpec>>): string {
  const rows = Object.entries({ ...KERNEL_FLAGS, ...declared, ...LAST });
  return [`usage: ${OWN_COMMANDS.start} [flags]`, '', ...rows.map(([name, { about }]) => `  --${name.padEnd(17)} ${about}`)].join('\n');
}
