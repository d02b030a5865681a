// One run from the start of the nodes to the verdict.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { comes } from './faults/fault.ts';
import { startLoad } from './load.ts';
import type { SoakOptions } from './options.ts';
import { prepare } from './preparation.ts';
import { report } from './report.ts';
import { Steadiness } from './steadiness.ts';
import { storm } from './storm.ts';
import { judge } from './verdict.ts';
import { makeWorld, type World } from './world.ts';

const READY_MS = 120_000;
/** With the exit status of a program that they end. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** @returns whether every promise was kept */
export async function soak(options: SoakOptions): Promise<boolean> {
  const begin = performance.now();
  // What the run has started ends with it, however it ends.
  for (const [signal, status] of Object.entries(SIGNALS)) process.once(signal, () => process.exit(status));
  const world = await makeWorld(options);
  try {
    const prepared = await prepare(world);
    const steadiness = new Steadiness(world.nodes);
    const load = await startLoad(world, prepared, options.clients);
    const happened = await storm(world, options, (line) => options.isQuiet || console.log(line));
    const growth = steadiness.end();
    await load.stop();
    await comes(async () => (await Promise.all(world.nodes.map((node) => node.ready()))).every(({ status }) => status === 200), READY_MS);
    const verdict = await judge(world, load.remembered);
    return report({ options, storm: happened, verdict, growth, tally: world.tally, seconds: Math.round((performance.now() - begin) / 1_000) });
  } finally {
    if (options.logs !== '') keepLogs(world, options.logs);
    await world.end();
  }
}

function keepLogs({ nodes }: World, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const { name, log } of nodes) writeFileSync(join(folder, `${name}.log`), log, { mode: 0o600 });
}
