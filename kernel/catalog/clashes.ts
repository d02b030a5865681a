// Finds names that are used twice: of plugins, sections, fault codes and flags.
import { KERNEL_FLAGS } from '../config/flags.ts';
import { KERNEL_SECTIONS } from '../config/sections.ts';
import { KERNEL_FAULTS } from '../fault.ts';
import { type AnyPlugin, sectionOf } from '../plugin.ts';

/** @returns a problem for each name that is used by two plugins, or by a plugin and the kernel */
export function findClashes(plugins: readonly AnyPlugin[]): string[] {
  const problems: string[] = [];
  const claim = (kind: string, taken: Map<string, string>, key: string, owner: string) => {
    const other = taken.get(key);
    if (other !== undefined) problems.push(`plugin ${owner}: the ${kind} ${key} is already used by ${other}; choose another one`);
    else taken.set(key, owner);
  };
  const names = new Map([['kernel', 'the kernel']]);
  const sections = new Map(Object.keys(KERNEL_SECTIONS).map((section) => [section, 'the kernel']));
  const codes = new Map(Object.keys(KERNEL_FAULTS).map((code) => [code, 'the kernel']));
  const flags = new Map([...Object.keys(KERNEL_FLAGS), 'help', 'version'].map((flag) => [flag, 'the kernel']));
  for (const plugin of plugins) {
    const { name, faults, flags: own, additions } = plugin;
    claim('name', names, name, name);
    claim('section', sections, sectionOf(plugin), name);
    if (additions !== undefined) claim('section', sections, additions, name);
    for (const code of Object.keys(faults ?? {})) claim('fault code', codes, code, name);
    for (const flag of Object.keys(own ?? {})) claim('flag', flags, flag, name);
  }
  return problems;
}
