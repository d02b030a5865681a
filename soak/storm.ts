// Lets faults happen one after the other while the load goes on: each of them at least once, and in the order of the seed.
import { setTimeout as after } from 'node:timers/promises';
import { comes, type Fault } from './faults/fault.ts';
import { FAULTS } from './faults/index.ts';
import type { SoakOptions } from './options.ts';
import { haveTrust } from './preparation.ts';
import type { World } from './world.ts';

export interface Happened {
  readonly fault: string;
  /** Seconds since the load began. */
  readonly at: number;
  /** What shows it; undefined: nothing does. */
  readonly shown: string | undefined;
  /** Seconds from its end until every node was ready. */
  readonly recovery: number;
}

export interface Storm {
  readonly happened: readonly Happened[];
  /** Faults that cannot happen here, and why. */
  readonly skipped: Readonly<Record<string, string>>;
}

const WARM_UP_MS = 3_000;
/** Generous: recovery takes seconds on a quiet machine, and the report says how many. */
const READY_MS = 120_000;
/** How long a fault lasts: longer than a lease where there is time for it. */
const LENGTH_MS = { least: 1_500, most: 6_000 } as const;

/** @param tell is told what happens */
export async function storm(world: World, options: SoakOptions, tell: (line: string) => void): Promise<Storm> {
  const begin = performance.now();
  const elapsed = () => (performance.now() - begin) / (options.minutes * 60_000);
  const wanted = FAULTS.filter(({ name }) => options.faults.includes(name));
  const skipped: Record<string, string> = {};
  for (const fault of wanted) {
    const why = fault.impossible(world);
    if (why !== undefined) skipped[fault.name] = why;
  }
  const possible = wanted.filter(({ name }) => !(name in skipped));
  const happened: Happened[] = [];
  // A process that starts anew in the second half has nothing to be compared with.
  const first = world.random.shuffled(possible).sort((a, b) => Number(b.startsAnew) - Number(a.startsAnew));
  const lengthMs = Math.round(Math.min(LENGTH_MS.most, Math.max(LENGTH_MS.least, (options.minutes * 60_000) / (4 * possible.length))));
  await after(WARM_UP_MS);
  for (;;) {
    const later = possible.filter(({ startsAnew }) => !startsAnew || elapsed() < 0.45);
    const fault = first.shift() ?? (elapsed() < 0.85 && later.length > 0 ? world.random.pick(later) : undefined);
    if (!fault) break;
    const at = Math.round((performance.now() - begin) / 1_000);
    const one = { fault: fault.name, at, ...(await once(world, fault, lengthMs)) };
    happened.push(one);
    tell(`${String(at).padStart(5)} s  ${fault.name}: ${one.shown ?? 'NOT SHOWN'}; ready again after ${one.recovery} s`);
    await after(world.random.below(lengthMs));
  }
  while (elapsed() < 1) await after(100);
  return { happened, skipped };
}

async function once(world: World, fault: Fault, ms: number): Promise<Pick<Happened, 'shown' | 'recovery'>> {
  const { tally, nodes } = world;
  let shown: string | undefined;
  try {
    shown = await fault.happen(world, ms);
  } catch (error) {
    tally.wrong('each fault has happened', `${fault.name}: ${(error as Error).message}`);
  }
  const over = performance.now();
  const areReady = await comes(async () => (await Promise.all(nodes.map((node) => node.ready()))).every(({ status }) => status === 200), READY_MS);
  if (!areReady || !(await haveTrust(world))) {
    const told = await Promise.all(nodes.map(async (node) => `${node.name}: ${(await node.ready()).text.slice(0, 300)}`));
    tally.wrong('the server works again after each fault', `after ${fault.name}: ${told.join('; ')}`);
  }
  return { shown, recovery: Math.round((performance.now() - over) / 100) / 10 };
}
