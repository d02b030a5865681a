// The command line of the server: its own flags and those that plugins declare.
import { parseArgs } from 'node:util';
import { parseReference } from './secret.ts';

/** A flag that a plugin declares. It takes a value and may be repeated, unless it is a switch. */
export interface FlagSpec {
  readonly about: string;
  /** Takes `file:PATH` and `env:NAME`, because others can see a command line. */
  readonly secret?: true;
  /** Takes no value; it is there or not. */
  readonly switch?: true;
}

export type FlagValues = Readonly<Record<string, readonly unknown[]>>;

export interface Flags {
  readonly config: string | undefined;
  readonly dataDir: string | undefined;
  readonly host: string | undefined;
  readonly port: string | undefined;
  readonly help: boolean;
  readonly version: boolean;
  /** Values of the plugins' flags, in the order given. */
  readonly plugin: FlagValues;
  /** Flags whose secret stands on the command line for all to see. */
  readonly exposed: readonly string[];
  readonly problems: readonly string[];
}

const OWN = {
  config: 'configuration file (default: config.toml, if it is there)',
  'data-dir': 'folder of the data (default: data)',
  host: 'address to listen on',
  port: 'port to listen on, 0 for any free one',
} as const;

export function parseFlags(argv: readonly string[], declared: Readonly<Record<string, FlagSpec>>): Flags {
  const one = { type: 'string' as const };
  const options = {
    ...Object.fromEntries(Object.keys(OWN).map((name) => [name, one])),
    ...Object.fromEntries(
      Object.entries(declared).map(([name, spec]) => [name, { type: spec.switch ? ('boolean' as const) : ('string' as const), multiple: true }]),
    ),
    help: { type: 'boolean' as const, short: 'h' },
    version: { type: 'boolean' as const },
  };
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true, allowPositionals: true });
  const values: Record<string, string> = {};
  const plugin: Record<string, unknown[]> = {};
  const exposed: string[] = [];
  const problems: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`${token.value}: not a flag`);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    const spec = declared[name];
    if (!(name in options)) problems.push(`${rawName}: unknown flag`);
    else if (name === 'help' || name === 'version') values[name] = '';
    else if (spec?.switch) plugin[name] = [true];
    else if (value === undefined || (value.startsWith('--') && !token.inlineValue)) problems.push(`${rawName}: needs a value`);
    else if (!spec) values[name] = value;
    else {
      const parsed = spec.secret ? parseReference(value) : value;
      if (spec.secret && typeof parsed === 'string') exposed.push(rawName);
      plugin[name] = [...(plugin[name] ?? []), parsed];
    }
  }
  return {
    config: values['config'],
    dataDir: values['data-dir'],
    host: values['host'],
    port: values['port'],
    help: 'help' in values,
    version: 'version' in values,
    plugin,
    exposed,
    problems,
  };
}

export function usage(declared: Readonly<Record<string, FlagSpec>>): string {
  const rows = [
    ...Object.entries(OWN),
    ...Object.entries(declared).map(([name, { about }]) => [name, about] as const),
    ['help', 'this text'] as const,
    ['version', 'the version'] as const,
  ];
  return ['usage: npm start -- [flags]', '', ...rows.map(([name, about]) => `  --${name.padEnd(14)} ${about}`)].join('\n');
}
