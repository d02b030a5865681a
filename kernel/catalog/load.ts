// Loads the plugins and finds the problems of all of them before anything starts.
import { createRequire } from 'node:module';
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TSchema } from 'typebox';
import { describe } from '../fault.ts';
import { type AnyPlugin, sectionOf } from '../plugin.ts';
import { findClashes } from './clashes.ts';
import { isPluginName, shapeProblems } from './shape.ts';

export interface Catalog {
  readonly plugins: readonly AnyPlugin[];
  /** Those of them that are not built in. */
  readonly external: readonly AnyPlugin[];
  /** Schemas by section, including those of plugins with problems, so that their configuration is checked too. */
  readonly schemas: Readonly<Record<string, TSchema>>;
  readonly problems: readonly string[];
}

/**
 * @param builtins built-in plugins in the order in which they start
 * @param modules names of packages, or paths that begin with `.` or `/`
 * @param base folder from which relative paths and package names are resolved
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
      if (isPluginName(plugin?.name) && typeof plugin?.config === 'object') schemas[sectionOf(plugin)] ??= plugin.config;
      problems.push(...shape.map((problem) => `plugin ${plugin?.name ?? module}: ${problem}`));
    } catch (error) {
      problems.push(`plugin ${module}: cannot be loaded: ${describe(error).split('\n')[0]}`);
    }
  }
  return { plugins, external: plugins.slice(builtins.length), schemas, problems: [...problems, ...findClashes(plugins)] };
}

/** @returns the address of a module: a path relative to the folder of the configuration, or a package */
export function locate(module: string, base: string): string {
  if (module.startsWith('.') || isAbsolute(module)) return pathToFileURL(resolve(base, module)).href;
  return pathToFileURL(createRequire(pathToFileURL(resolve(base, 'config.toml'))).resolve(module)).href;
}
