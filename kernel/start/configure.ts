// The first step of the start: combines flags, file, variables and plugins into one validated configuration, or one list of problems.
import { addressList } from '../address-list.ts';
import { additionSchemas, completeSections } from '../catalog/additions.ts';
import { type Catalog, loadCatalog } from '../catalog/load.ts';
import { ConfigError } from '../config/config-error.ts';
import { type FlagValues, parseFlags } from '../config/flags.ts';
import { forgetVariables } from '../config/forget-variables.mjs';
import { loadSections, modulesIn, readConfigFile } from '../config/load.ts';
import { Secret } from '../config/schema.ts';
import { resolveSecrets, type SecretSources, UNREAD } from '../config/secret.ts';
import { KERNEL_SECTIONS, type KernelConfig } from '../config/sections.ts';
import type { Setting } from '../config/setting.ts';
import { parseRootKey } from '../keys/root-key.ts';
import { type AnyPlugin, sectionOf } from '../plugin.ts';
import { storeUrlProblem } from '../store/store-url.ts';
import { tracingProblems } from '../trace-config.ts';

export interface ConfigureOptions {
  /** The built-in plugins in the order in which they start. */
  readonly plugins: readonly AnyPlugin[];
  readonly argv: readonly string[];
  /** The server's own variables, and others that held secrets, are deleted from it. */
  readonly env: NodeJS.ProcessEnv;
}

export interface Configured {
  readonly config: KernelConfig;
  /** Validated configuration of each plugin, by its name. */
  readonly sections: ReadonlyMap<string, unknown>;
  readonly catalog: Catalog;
  /** Values of the flags of plugins. */
  readonly flags: FlagValues;
  /** Folder of relative paths in the configuration. */
  readonly base: string;
  readonly dataDir: string;
  /** Whether `--rotate-kek` was given. */
  readonly rotateKek: boolean;
  /** The value of `--new-root-key`. */
  readonly newRootKey: string | undefined;
  /** The value of `--copy-store`. */
  readonly copyStore: string | undefined;
  /** Variables that plugins read; they are no longer in the environment. */
  readonly kept: NodeJS.ProcessEnv;
  /** Files that hold a secret: absolute paths, by the keys and flags that name them. */
  readonly secretFiles: ReadonlyMap<string, string>;
  /** The configuration in use, without secrets, for super admins. */
  readonly settings: readonly Setting[];
  /** Messages about problems that do not stop the start. */
  readonly warnings: readonly string[];
}

/** @throws ConfigError with every problem in the sections of the kernel and of all plugins */
export async function configure({ plugins, argv, env }: ConfigureOptions): Promise<Configured> {
  const ownFlags = parseFlags(argv, {});
  const file = readConfigFile(ownFlags.config ?? (env['GATEHOUSE_CONFIG'] || undefined));
  const catalog = await loadCatalog(plugins, modulesIn(file.tables['plugins']), file.base);
  const flags = parseFlags(argv, Object.assign({}, ...catalog.plugins.map((plugin) => plugin.flags ?? {})));
  const schemas = { ...catalog.schemas, ...additionSchemas(catalog.plugins), ...KERNEL_SECTIONS };
  const flagged = catalog.plugins.filter((plugin) => Object.keys(plugin.flags ?? {}).some((flag) => flag in flags.plugin));
  const fallbacks = Object.fromEntries(flagged.map((plugin) => [sectionOf(plugin), plugin.sectionOf?.(flags.plugin)]));
  const loaded = loadSections({ file, env, flags }, schemas, fallbacks);
  const own = catalog.plugins.flatMap((plugin) => {
    const section = loaded.sections[sectionOf(plugin)];
    return section === undefined ? [] : (plugin.problems?.(section) ?? []).map((problem) => `${sectionOf(plugin)}${problem}`);
  });
  const completed = await completeSections(catalog.plugins, loaded.sections, file.base);
  const sources = { base: file.base, env, used: new Set<string>(), files: new Map(loaded.secretFiles), problems: [] };
  const newRootKey = readSecretFlag(flags.newRootKey, '--new-root-key', sources);
  const copyStore = readSecretFlag(flags.copyStore, '--copy-store', sources);
  const ofKernel = [...kernelProblems(loaded.sections, env), ...rootKeyProblems(newRootKey, '--new-root-key')];
  const problems = [...catalog.problems, ...loaded.problems, ...ofKernel, ...own, ...completed.problems, ...sources.problems];
  if (problems.length > 0) throw new ConfigError(problems);
  const kept = Object.fromEntries(KEPT.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  forget(env, [...Object.keys(env).filter((name) => name.startsWith('GATEHOUSE_')), ...loaded.secretVariables, ...sources.used]);
  return {
    config: loaded.sections as unknown as KernelConfig,
    sections: new Map(catalog.plugins.map((plugin) => [plugin.name, completed.sections[sectionOf(plugin)]])),
    catalog,
    flags: flags.plugin,
    base: file.base,
    dataDir: flags.dataDir ?? kept['GATEHOUSE_DATA_DIR'] ?? 'data',
    kept,
    rotateKek: flags.rotateKek,
    newRootKey,
    copyStore,
    secretFiles: sources.files,
    settings: loaded.settings,
    warnings: warningsOf(loaded.unknownVariables, sources.used, flags.exposed),
  };
}

const warningsOf = (unknown: readonly string[], used: ReadonlySet<string>, exposed: readonly string[]) => [
  ...unknown.filter((name) => !used.has(name)).map((name) => `${name}: matches no key of the configuration and is ignored`),
  ...exposed.map((flag) => `${flag}: other users of this machine can see a secret on the command line; use file:PATH or env:NAME instead`),
];

/** Empty, each would be the folder of the moment. */
const PLACES = ['GATEHOUSE_CONFIG', 'GATEHOUSE_DATA_DIR'];
const emptyPlaces = (env: NodeJS.ProcessEnv) => PLACES.filter((name) => env[name] === '').map((name) => `${name}: is empty; name a place, or remove it`);

const KEPT = ['GATEHOUSE_ADMIN_PASSWORD', 'GATEHOUSE_DATA_DIR'];

/** Called before any thread starts, because a thread copies the environment. The launcher has the same environment and is asked to delete the variables too. */
function forget(env: NodeJS.ProcessEnv, names: readonly string[]): void {
  if (env !== process.env) for (const name of names) delete env[name];
  else {
    forgetVariables(names);
    process.send?.({ forget: names });
  }
}

function readSecretFlag(given: unknown, flag: string, sources: SecretSources): string | undefined {
  return given === undefined ? undefined : (resolveSecrets(given, Secret(), flag, sources) as string);
}

/** What the schemas of the kernel's sections cannot say. */
function kernelProblems(sections: Readonly<Record<string, unknown>>, env: NodeJS.ProcessEnv): string[] {
  const { http, store, metrics, tracing } = sections as Partial<KernelConfig>;
  const lists = [
    ['http.trusted_proxies', http?.trusted_proxies],
    ['http.proxy_protocol', http?.proxy_protocol],
    ['metrics.allow', metrics?.allow],
  ] as const;
  const addresses = lists.flatMap(([key, entries]) => {
    try {
      addressList(entries ?? []);
      return [];
    } catch (error) {
      return [`${key}: ${(error as Error).message}`];
    }
  });
  // One that is empty or no text, or could not be read, has its problem already.
  const isText = typeof store?.url === 'string' && store.url !== '' && store.url !== UNREAD;
  const url = isText ? storeUrlProblem(store.url) : undefined;
  const ofStore = [...(url === undefined ? [] : [`store.url: ${url}`]), ...rootKeyProblems(store?.root_key, 'store.root_key')];
  return [...emptyPlaces(env), ...addresses, ...ofStore, ...tracingProblems(tracing)];
}

/** Before the database is made or gets the tables of this version, for which no root key is needed. */
function rootKeyProblems(given: unknown, where: string): readonly string[] {
  if (typeof given !== 'string' || given === '' || given === UNREAD) return [];
  try {
    parseRootKey(given, where).forget();
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
}
