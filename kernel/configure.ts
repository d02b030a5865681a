// The first step of the boot: flags, file, variables and plugins become one validated configuration, or one list of problems.
import { type Catalog, loadCatalog } from './catalog/load.ts';
import { type FlagValues, parseFlags } from './config/flags.ts';
import { forgetVariables } from './config/forget-variables.mjs';
import { ConfigError, loadSections, readConfigFile } from './config/load.ts';
import { Secret } from './config/schema.ts';
import { resolveSecrets } from './config/secret.ts';
import { KERNEL_SECTIONS, type KernelConfig } from './config/sections.ts';
import { addressList } from './http/probes.ts';
import { type AnyPlugin, sectionOf } from './plugin.ts';

export interface ConfigureOptions {
  /** The built-in plugins, in their order of start. */
  readonly plugins: readonly AnyPlugin[];
  readonly argv: readonly string[];
  /** Variables that held secrets are deleted from it. */
  readonly env: NodeJS.ProcessEnv;
}

export interface Configured {
  readonly config: KernelConfig;
  /** Validated configuration of each plugin, by its name. */
  readonly sections: ReadonlyMap<string, unknown>;
  readonly catalog: Catalog;
  /** Flags that plugins declare. */
  readonly flags: FlagValues;
  /** Folder that relative paths of the configuration start from. */
  readonly base: string;
  readonly dataDir: string;
  /** `--rotate-kek` was given, and the root key that was given with it. */
  readonly rotateKek: boolean;
  readonly newRootKey: string | undefined;
  /** Variables that plugins read, which are not in the environment any more. */
  readonly kept: NodeJS.ProcessEnv;
  /** What does not stop the boot but should be known. */
  readonly warnings: readonly string[];
}

/** @throws ConfigError with every problem of the kernel's and of all plugins' sections */
export async function configure({ plugins, argv, env }: ConfigureOptions): Promise<Configured> {
  const ownFlags = parseFlags(argv, {});
  const file = readConfigFile(ownFlags.config ?? env['GATEHOUSE_CONFIG']);
  const catalog = await loadCatalog(plugins, externalModules(file.tables['plugins']), file.base);
  const flags = parseFlags(argv, Object.assign({}, ...catalog.plugins.map((plugin) => plugin.flags ?? {})));
  const schemas = { ...catalog.schemas, ...KERNEL_SECTIONS };
  const flagged = catalog.plugins.filter((plugin) => Object.keys(plugin.flags ?? {}).some((flag) => flag in flags.plugin));
  const fallbacks = Object.fromEntries(flagged.map((plugin) => [sectionOf(plugin), plugin.sectionOf?.(flags.plugin)]));
  const loaded = loadSections({ file, env, flags }, schemas, fallbacks);
  const own = catalog.plugins.flatMap((plugin) => {
    const section = loaded.sections[sectionOf(plugin)];
    return section === undefined ? [] : (plugin.problems?.(section) ?? []).map((problem) => `${sectionOf(plugin)}${problem}`);
  });
  const rootKey = readNewRootKey(flags.newRootKey, file.base, env);
  const problems = [...catalog.problems, ...loaded.problems, ...addressProblems(loaded.sections), ...own, ...rootKey.problems];
  if (problems.length > 0) throw new ConfigError(problems);
  const kept = Object.fromEntries(KEPT.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  forget(env, [...Object.keys(env).filter((name) => name.startsWith('GATEHOUSE_')), ...loaded.secretVariables, ...rootKey.used]);
  return {
    config: loaded.sections as unknown as KernelConfig,
    sections: new Map(catalog.plugins.map((plugin) => [plugin.name, loaded.sections[sectionOf(plugin)]])),
    catalog,
    flags: flags.plugin,
    base: file.base,
    dataDir: flags.dataDir ?? kept['GATEHOUSE_DATA_DIR'] ?? 'data',
    kept,
    rotateKek: flags.rotateKek,
    newRootKey: rootKey.value as string | undefined,
    warnings: [
      ...loaded.unknownVariables.filter((name) => !rootKey.used.has(name)).map((name) => `${name} sets no key`),
      ...flags.exposed.map((flag) => `${flag}: others on this machine can see a secret on the command line, use file:PATH or env:NAME`),
    ],
  };
}

const KEPT = ['GATEHOUSE_ADMIN_PASSWORD', 'GATEHOUSE_DATA_DIR'];

/** Before any thread is started, which would have a copy. The launcher, which has the same environment, is asked to forget them as well. */
function forget(env: NodeJS.ProcessEnv, names: readonly string[]): void {
  if (env !== process.env) for (const name of names) delete env[name];
  else {
    forgetVariables(names);
    process.send?.({ forget: names });
  }
}

function readNewRootKey(given: unknown, base: string, env: NodeJS.ProcessEnv) {
  const used = new Set<string>();
  const problems: string[] = [];
  return { value: given === undefined ? undefined : resolveSecrets(given, Secret(), '--new-root-key', { base, env, used, problems }), used, problems };
}

function externalModules(plugins: unknown): string[] {
  if (!Array.isArray(plugins)) return [];
  return plugins.flatMap((entry: { module?: unknown }) => (typeof entry?.module === 'string' && entry.module !== '' ? [entry.module] : []));
}

function addressProblems(sections: Readonly<Record<string, unknown>>): string[] {
  const { http, metrics } = sections as Partial<KernelConfig>;
  const lists = [
    ['http.trusted_proxies', http?.trusted_proxies],
    ['metrics.allow', metrics?.allow],
  ] as const;
  return lists.flatMap(([key, entries]) => {
    try {
      addressList(entries ?? []);
      return [];
    } catch (error) {
      return [`${key}: ${(error as Error).message}`];
    }
  });
}
