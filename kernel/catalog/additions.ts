// Collects what modules and plugins add to other plugins, and has these complete their sections with it.
import type { TSchema } from 'typebox';
import { modulesIn } from '../config/load.ts';
import { MODULES } from '../config/sections.ts';
import { describe } from '../fault.ts';
import { type Addition, type AnyPlugin, sectionOf } from '../plugin.ts';
import { locate } from './load.ts';

interface Completion {
  /** Sections by their names, completed. */
  readonly sections: Readonly<Record<string, unknown>>;
  readonly problems: readonly string[];
}

/** @returns the schemas of the sections that list modules */
export function additionSchemas(plugins: readonly AnyPlugin[]): Readonly<Record<string, TSchema>> {
  return Object.fromEntries(plugins.flatMap(({ additions }) => (additions === undefined ? [] : [[additions, MODULES]])));
}

/**
 * @param sections validated; one with problems is undefined and stays so
 * @param base folder from which relative paths and package names are resolved
 */
export async function completeSections(plugins: readonly AnyPlugin[], sections: Readonly<Record<string, unknown>>, base: string): Promise<Completion> {
  const completed: Record<string, unknown> = { ...sections };
  const problems = unwanted(plugins);
  for (const plugin of plugins) {
    const { additions: listed, name } = plugin;
    if (!plugin.complete) continue;
    const added = plugins.flatMap(({ name: from, offers }) => (offers?.[name] ?? []).map((value): Addition => ({ from: `plugin ${from}`, value })));
    if (listed !== undefined) added.push(...(await modulesOf(listed, sections[listed], base, problems)));
    const section = sectionOf(plugin);
    if (sections[section] === undefined) continue;
    const completion = plugin.complete(sections[section], added, base);
    completed[section] = completion.config;
    problems.push(...completion.problems);
  }
  return { sections: completed, problems };
}

async function modulesOf(section: string, entries: unknown, base: string, problems: string[]): Promise<Addition[]> {
  const found: Addition[] = [];
  for (const [at, module] of modulesIn(entries).entries()) {
    const from = `${section}[${at}].module: ${module}`;
    try {
      const { default: value } = (await import(locate(module, base))) as { default?: unknown };
      found.push({ from, value });
    } catch (error) {
      problems.push(`${from}: cannot be loaded: ${describe(error).split('\n')[0]}`);
    }
  }
  return found;
}

/** Offers that nobody takes. */
function unwanted(plugins: readonly AnyPlugin[]): string[] {
  const takers = new Set(plugins.filter(({ complete }) => complete).map(({ name }) => name));
  return plugins.flatMap(({ name, offers }) =>
    Object.keys(offers ?? {}).flatMap((to) =>
      takers.has(to) ? [] : [`plugin ${name}: offers.${to}: no plugin ${to} takes offers; those that do are ${[...takers].join(', ')}`],
    ),
  );
}
