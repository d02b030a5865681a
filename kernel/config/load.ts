// Loads the configuration from the file, variables and flags, in rising order of precedence, and collects all problems.
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import type { TSchema } from 'typebox';
import { readEnvironment } from './environment.ts';
import type { Flags } from './flags.ts';
import { resolveSecrets } from './secret.ts';
import { type Setting, settingsOf } from './setting.ts';
import { readTextFile, whyUnread } from './text-file.ts';
import { validate } from './validate.ts';

/** config.toml as parsed, not validated yet. */
interface ConfigFile {
  readonly path: string | undefined;
  /** Folder of relative paths in the file. */
  readonly base: string;
  readonly tables: Readonly<Record<string, unknown>>;
  readonly problems: readonly string[];
}

const DEFAULT_FILE = 'config.toml';
/** Origins that are a flag of the kernel or a variable. */
const GIVEN = /^(--|GATEHOUSE_[A-Z])/;

/** @param given path from a flag or variable; such a file must exist */
export function readConfigFile(given: string | undefined): ConfigFile {
  const path = resolve(given ?? DEFAULT_FILE);
  const base = dirname(path);
  if (given === undefined && !existsSync(path)) return { path: undefined, base, tables: {}, problems: [] };
  try {
    return { path, base, tables: parse(readTextFile(path)), problems: [] };
  } catch (error) {
    return { path, base, tables: {}, problems: [`${path}: ${unreadable(error)}`] };
  }
}

/** The parser's own message shows the lines around the mistake, which may hold passwords and PINs. */
function unreadable(error: unknown): string {
  if (error instanceof TomlError) return `${error.message.split('\n', 1)[0]} (line ${error.line}, column ${error.column})`;
  return whyUnread(error);
}

/** @param entries a section that lists modules, perhaps with problems */
export function modulesIn(entries: unknown): string[] {
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: { module?: unknown }) => (typeof entry?.module === 'string' && entry.module !== '' ? [entry.module] : []));
}

interface Sources {
  readonly file: ConfigFile;
  readonly env: NodeJS.ProcessEnv;
  readonly flags: Flags;
}

export interface Loaded {
  readonly sections: Readonly<Record<string, unknown>>;
  readonly problems: readonly string[];
  /** Variables with our prefix that do not match any key; the server warns about them. */
  readonly unknownVariables: readonly string[];
  /** Names of variables that held secrets. */
  readonly secretVariables: readonly string[];
  /** Absolute paths, by the keys that name them. */
  readonly secretFiles: ReadonlyMap<string, string>;
  /** What is in use, for operators. */
  readonly settings: readonly Setting[];
}

/** @param schemas by section name @param fallbacks sections made from flags, used if the file does not have the section */
export function loadSections({ file, env, flags }: Sources, schemas: Readonly<Record<string, TSchema>>, fallbacks: Readonly<Record<string, unknown>>): Loaded {
  const problems: string[] = [...file.problems, ...flags.problems];
  const raw: Record<string, unknown> = structuredClone(file.tables) as Record<string, unknown>;
  for (const [name, value] of Object.entries(raw)) if (!(name in schemas)) problems.push(unknown(name, value, schemas));
  const origins = new Map(keysIn(raw).map((key) => [key, file.path ?? DEFAULT_FILE]));
  for (const [name, section] of Object.entries(fallbacks)) {
    if (raw[name] === undefined && section !== undefined) origins.set(name, 'flags');
    raw[name] ??= section;
  }
  const environment = readEnvironment(env, schemas);
  problems.push(...environment.problems);
  const set = (path: readonly string[], value: unknown, origin: string) => {
    setPath(raw, path, value);
    origins.set(path.join('.'), origin);
  };
  for (const { path, value, name } of environment.values) set(path, value, name);
  if (flags.host !== undefined) set(['http', 'host'], flags.host, '--host');
  if (flags.port !== undefined) set(['http', 'port'], /^\d+$/.test(flags.port) ? Number(flags.port) : flags.port, '--port');
  const sources = { base: file.base, env, used: new Set<string>(), files: new Map<string, string>(), problems };
  const sections: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const resolved = resolveSecrets(raw[name], schema, name, sources);
    const validated = validate(resolved, schema, name);
    problems.push(...validated.problems.map((problem) => withOrigin(problem, origins)));
    sections[name] = validated.value;
  }
  const settings = settingsOf(sections, schemas, origins);
  return { sections, problems, unknownVariables: environment.unknown, secretVariables: [...sources.used], secretFiles: sources.files, settings };
}

/** Adds the variable or the flag that gave the value: who set it looks for it in the file otherwise. */
function withOrigin(problem: string, origins: ReadonlyMap<string, string>): string {
  const [key = ''] = /^[^\s:[]+/.exec(problem) ?? [];
  const origin = origins.get(key);
  return origin !== undefined && GIVEN.test(origin) ? `${key} (${origin})${problem.slice(key.length)}` : problem;
}

/** The keys that have a value, and not those of tables within lists: `http.port`, `hsm_instances`. */
function keysIn(table: Readonly<Record<string, unknown>>, prefix = ''): string[] {
  return Object.entries(table).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? keysIn(value as Record<string, unknown>, `${prefix}${key}.`) : [prefix + key],
  );
}

function setPath(root: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) {
    root[key] = value;
    return;
  }
  const child = root[key];
  if (typeof child !== 'object' || child === null) root[key] = {};
  setPath(root[key] as Record<string, unknown>, rest, value);
}

/** A key in front of the first section is in none: people forget the line of the section. */
function unknown(name: string, value: unknown, schemas: Readonly<Record<string, TSchema>>): string {
  if (typeof value === 'object') return `${name}: unknown section (known: ${Object.keys(schemas).join(', ')})`;
  const having = Object.entries(schemas).filter(([, { properties }]: [string, { properties?: object }]) => properties !== undefined && name in properties);
  return `${name}: stands in no section; write it below the line of its section${having.map(([section]) => `, [${section}]`).join(' or')}`;
}
