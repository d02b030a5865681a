// Builds the context object that each plugin gets.
import type { AnySpec } from './actor.ts';
import type { LocalClock } from './clock.ts';
import { type Log, withFields } from './log/log-entry.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { AnyPlugin, FrontView, PluginContext } from './plugin.ts';
import type { Group } from './runtime/runtime.ts';
import type { Regions } from './shared/region.ts';
import type { Configured } from './start/configure.ts';
import type { Status } from './status.ts';

/** The actors as a thread calls them: those of the runtime in the main thread, and over channels of its own in a front's. */
export interface CalledActors {
  readonly groups: ReadonlyMap<string, Pick<Group, 'ref'>>;
  /** @returns the last reported status of an actor, by key */
  reported(actor: string): ReadonlyMap<string, Status | undefined>;
}

interface ContextParts {
  readonly runtime: CalledActors;
  readonly clock: LocalClock;
  readonly metrics: Metrics;
  readonly shared: Regions;
  readonly dataDir: string;
  readonly version: string;
  readonly front: FrontView;
  /** Environment variables for plugins, which delete those that they have read. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

type AnyContext = PluginContext<unknown, Record<string, AnySpec>>;
export type Contexts = ReadonlyMap<AnyPlugin, AnyContext>;

/** What a first start refuses. */
export const firstStartProblemsOf = (contexts: Contexts): readonly string[] => [...contexts].flatMap(([plugin, ctx]) => plugin.firstStartProblems?.(ctx) ?? []);

/** @returns a context for each plugin, in the order of the catalog */
export function contextsOf(
  { catalog, sections, flags, log }: Pick<Configured, 'catalog' | 'sections' | 'flags'> & { readonly log: Log },
  { runtime, ...parts }: ContextParts,
): Contexts {
  const actors = Object.fromEntries([...runtime.groups].map(([name, group]) => [name, group.ref])) as AnyContext['actors'];
  const reported = (actor: string) => runtime.reported(actor);
  return new Map(
    catalog.plugins.map((plugin) => [
      plugin,
      { ...parts, actors, reported, flags, sections, config: sections.get(plugin.name), log: withFields(log, { plugin: plugin.name }) },
    ]),
  );
}
