// Collects the actors that the plugins declare.
import type { AnySpec } from '../actor.ts';
import { ConfigError } from '../config/config-error.ts';
import type { KernelConfig } from '../config/sections.ts';
import type { AnyPlugin } from '../plugin.ts';

/** @returns the specs of all actors by name @throws ConfigError for a name that two plugins use, or an unknown peer */
export function actorSpecs(
  plugins: readonly AnyPlugin[],
  sections: ReadonlyMap<string, unknown>,
  kernel: KernelConfig,
  base: string,
  version: string,
  dataDir: string,
): Readonly<Record<string, AnySpec>> {
  const specs: Record<string, AnySpec> = {};
  const problems: string[] = [];
  for (const plugin of plugins) {
    for (const [name, spec] of Object.entries(plugin.actors?.(sections.get(plugin.name), kernel, base, version, dataDir) ?? {})) {
      if (name in specs) problems.push(`plugin ${plugin.name}: another plugin already has an actor named ${name}; rename it`);
      specs[name] = spec as AnySpec;
    }
  }
  for (const [name, { peers }] of Object.entries(specs)) {
    for (const peer of peers ?? [])
      if (!specs[peer] || specs[peer].kind === 'replicated') problems.push(`actor ${name}: its peer ${peer} must be a pinned or sharded actor`);
  }
  problems.push(...processProblems(kernel.actors.processes, specs));
  if (problems.length > 0) throw new ConfigError(problems);
  const placed = Object.entries(specs).map(([name, spec]) => [name, kernel.actors.processes.includes(name) ? inProcess(spec) : spec] as const);
  return Object.fromEntries(placed.map(([name, spec]) => [name, withoutSpares(spec, specs) ? { ...spec, spare: false } : spec]));
}

function processProblems(names: readonly string[], specs: Readonly<Record<string, AnySpec>>): string[] {
  return names.flatMap((name, at) => {
    const spec = specs[name];
    const may = Object.entries(specs).flatMap(([other, each]) => (each.noProcess === undefined ? [other] : []));
    if (!spec) return [`actors.processes[${at}]: there is no actor ${name}; those that may have processes are ${may.sort().join(', ')}`];
    return spec.noProcess === undefined ? [] : [`actors.processes[${at}]: the actor ${name} gets no process, because ${spec.noProcess}`];
  });
}

/** It leaves the thread that it shares, and nothing of it lives beside its callers. */
function inProcess(spec: AnySpec): AnySpec {
  return { ...spec, process: true, sharedThread: undefined, beside: undefined };
}

function withoutSpares(spec: AnySpec, specs: Readonly<Record<string, AnySpec>>): boolean {
  const other = spec.kind === 'replicated' && spec.spareWithout !== undefined ? specs[spec.spareWithout] : undefined;
  return other?.kind === 'pinned' && Object.keys(other.instances).length > 0;
}
