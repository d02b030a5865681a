// Loads plugins and holds what they declare against each other: every problem of every plugin is found before anything starts.
import { createRequire } from 'node:module';
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TSchema } from 'typebox';
import type { AnySpec } from './actor.ts';
import { KERNEL_FLAGS } from './config/flags.ts';
import { ConfigError } from './config/load.ts';
import { KERNEL_SECTIONS, type KernelConfig } from './config/sections.ts';
import type { Contexts } from './context.ts';
import { describe, type FaultTable, KERNEL_FAULTS } from './fault.ts';
import { OPENAPI_PATH } from './http/openapi.ts';
import { PROBE_PATHS } from './http/probes.ts';
import type { Route } from './http/route.ts';
import type { AnyPlugin } from './plugin.ts';
import type { MigrationSet } from './store/migrate.ts';

export interface Catalog {
  readonly plugins: readonly AnyPlugin[];
  /** Schemas by section, those of plugins with problems included: what is wrong with their configuration is told too. */
  readonly schemas: Readonly<Record<string, TSchema>>;
  readonly problems: readonly string[];
}

const NAME = /^[a-z][a-z0-9_]*$/;
const HOOKS = ['sectionOf', 'problems', 'actors', 'authenticators', 'routes', 'listeners', 'open', 'status'] as const;
const MEMBERS: ReadonlySet<string> = new Set(['name', 'section', 'config', 'faults', 'tags', 'unserved', 'migrations', 'flags', ...HOOKS]);

/**
 * @param builtins in their order of start
 * @param modules names of packages, or paths that begin with `.` or `/`
 * @param base folder that relative paths and package names are looked up from
 */
export async function loadCatalog(builtins: readonly AnyPlugin[], modules: readonly string[], base: string): Promise<Catalog> {
  const plugins = [...builtins];
  const schemas = Object.fromEntries(builtins.map((plugin) => [sectionOf(plugin), plugin.config]));
  const problems: string[] = [];
  for (const module of modules) {
    try {
      const { default: plugin } = (await import(locate(module, base))) as { default?: AnyPlugin };
      const shape = shapeProblems(plugin);
      if (shape.length === 0) plugins.push(plugin as AnyPlugin);
      if (NAME.test(plugin?.name ?? '') && typeof plugin?.config === 'object') schemas[sectionOf(plugin)] ??= plugin.config;
      problems.push(...shape.map((problem) => `plugin ${plugin?.name ?? module}: ${problem}`));
    } catch (error) {
      problems.push(`plugin ${module}: cannot be loaded: ${describe(error).split('\n')[0]}`);
    }
  }
  return { plugins, schemas, problems: [...problems, ...clashes(plugins)] };
}

export function sectionOf({ section, name }: AnyPlugin): string {
  return section ?? name;
}

function locate(module: string, base: string): string {
  if (module.startsWith('.') || isAbsolute(module)) return pathToFileURL(resolve(base, module)).href;
  return pathToFileURL(createRequire(pathToFileURL(resolve(base, 'config.toml'))).resolve(module)).href;
}

/** What is wrong with the value that a module exports as a plugin. */
function shapeProblems(plugin: unknown): string[] {
  if (typeof plugin !== 'object' || plugin === null) return ['the module has no default export made by definePlugin'];
  const { name, section, config, faults = {}, migrations = [] } = plugin as Partial<AnyPlugin>;
  const problems: string[] = [];
  if (typeof name !== 'string' || !NAME.test(name)) problems.push(`name: must match ${NAME}`);
  if (section !== undefined && !NAME.test(section)) problems.push(`section: must match ${NAME}`);
  if (typeof config !== 'object' || config === null) problems.push('config: a schema is required');
  for (const hook of HOOKS) if (!['undefined', 'function'].includes(typeof (plugin as AnyPlugin)[hook])) problems.push(`${hook}: must be a function`);
  for (const member of Object.keys(plugin)) if (!MEMBERS.has(member)) problems.push(`${member}: unknown member`);
  const prefix = `${String(name).toUpperCase()}_`;
  for (const [code, { status, message } = {} as never] of Object.entries(faults)) {
    if (!code.startsWith(prefix)) problems.push(`faults.${code}: must begin with ${prefix}`);
    if (!Number.isInteger(status) || status < 400 || status > 599) problems.push(`faults.${code}: status must be 400 to 599`);
    if (typeof message !== 'string' || message === '') problems.push(`faults.${code}: needs a message`);
  }
  migrations.forEach(({ id }, index) => {
    if (id !== index + 1) problems.push(`migrations[${index}]: id must be ${index + 1}`);
  });
  return problems;
}

/** Names that two plugins claim, or that the kernel has already. */
function clashes(plugins: readonly AnyPlugin[]): string[] {
  const problems: string[] = [];
  const claim = (kind: string, taken: Map<string, string>, key: string, owner: string) => {
    const other = taken.get(key);
    if (other !== undefined) problems.push(`plugin ${owner}: ${kind} ${key} belongs to ${other}`);
    else taken.set(key, owner);
  };
  const names = new Map([['kernel', 'the kernel']]);
  const sections = new Map(Object.keys(KERNEL_SECTIONS).map((section) => [section, 'the kernel']));
  const codes = new Map(Object.keys(KERNEL_FAULTS).map((code) => [code, 'the kernel']));
  const flags = new Map([...Object.keys(KERNEL_FLAGS), 'help', 'version'].map((flag) => [flag, 'the kernel']));
  for (const plugin of plugins) {
    const { name, faults, flags: own } = plugin;
    claim('name', names, name, name);
    claim('section', sections, sectionOf(plugin), name);
    for (const code of Object.keys(faults ?? {})) claim('fault code', codes, code, name);
    for (const flag of Object.keys(own ?? {})) claim('flag', flags, flag, name);
  }
  return problems;
}

/** The actors of all plugins. @throws ConfigError for a name that two plugins use, or a peer that does not exist */
export function actorSpecs(
  plugins: readonly AnyPlugin[],
  sections: ReadonlyMap<string, unknown>,
  kernel: KernelConfig,
  base: string,
  version: string,
): Readonly<Record<string, AnySpec>> {
  const specs: Record<string, AnySpec> = {};
  const problems: string[] = [];
  for (const plugin of plugins) {
    for (const [name, spec] of Object.entries(plugin.actors?.(sections.get(plugin.name), kernel, base, version) ?? {})) {
      if (name in specs) problems.push(`plugin ${plugin.name}: actor ${name} belongs to another plugin`);
      specs[name] = spec as AnySpec;
    }
  }
  for (const [name, { peers }] of Object.entries(specs)) {
    for (const peer of peers ?? [])
      if (!specs[peer] || specs[peer].kind === 'replicated') problems.push(`actor ${name}: its peer ${peer} is not a pinned or sharded actor`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return specs;
}

/** The routes of all plugins. @throws ConfigError naming each that is malformed, silent about authentication, or taken */
export function routesOf(contexts: Contexts): readonly Route[] {
  const sets = [...contexts].map(([plugin, ctx]) => ({ owner: plugin.name, routes: plugin.routes?.(ctx) ?? [] }));
  const problems = sets.flatMap(({ owner, routes }) =>
    routes.flatMap((route) => malformed(route).map((problem) => `plugin ${owner}: route ${route.method} ${route.path}: ${problem}`)),
  );
  const taken = new Map([...PROBE_PATHS, OPENAPI_PATH].map((path) => [path, 'the kernel']));
  for (const { owner, routes } of sets) {
    for (const { method, path } of routes) {
      // The kernel's paths are its own for every method; paths of plugins clash by method and shape.
      const shape = `${method} ${path.replaceAll(/\{[^}]+\}/g, '{}')}`;
      const other = taken.get(path) ?? taken.get(shape);
      if (other !== undefined) problems.push(`plugin ${owner}: route ${method} ${path}: belongs to ${other}`);
      taken.set(shape, `plugin ${owner}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return sets.flatMap(({ routes }) => routes);
}

function malformed({ method, path, auth, handle }: Route): string[] {
  const problems: string[] = [];
  if (!/^\/[^\s?#]*$/.test(path)) problems.push('the path is malformed');
  if (!['GET', 'POST', 'PUT', 'DELETE'].includes(method)) problems.push('the method must be GET, POST, PUT or DELETE');
  if (auth !== 'none' && !(Array.isArray(auth) && auth.length > 0)) problems.push('auth must name credentials, or say "none"');
  if (typeof handle !== 'function') problems.push('it has no handler');
  return problems;
}

/** In the order in which they are applied, after those of the kernel. */
export function migrationSets(plugins: readonly AnyPlugin[]): readonly MigrationSet[] {
  return plugins.map(({ name, migrations }) => ({ owner: name, migrations: migrations ?? [] }));
}

/** What the plugins say of the groups of routes; of what two say of one, the first counts. */
export function tagsOf(plugins: readonly AnyPlugin[]): Readonly<Record<string, string>> {
  const tags: Record<string, string> = {};
  for (const [tag, about] of plugins.flatMap((plugin) => Object.entries(plugin.tags ?? {}))) tags[tag] ??= about;
  return tags;
}

/** All fault codes with what may be said of them. */
export function faultTables(plugins: readonly AnyPlugin[]): FaultTable {
  return Object.freeze(Object.assign({}, KERNEL_FAULTS, ...plugins.map(({ faults }) => faults ?? {})));
}
