// The network between a node and the database is slow, or passes one direction only.
import { setTimeout as after } from 'node:timers/promises';
import type { Direction, Wire } from '../wire.ts';
import type { World } from '../world.ts';
import { type Fault, onlyOn, show } from './fault.ts';

const impossible = onlyOn('postgres');

/** @param hinder begins it, for a direction or both */
function networkFails(name: string, hinder: (wire: Wire, world: World) => readonly Direction[]): Fault {
  return {
    name,
    startsAnew: false,
    impossible,
    async happen(world, ms) {
      const at = world.random.below(world.wires.length);
      const wire = world.wires[at] as Wire;
      const sum = () => wire.toDatabase.hindered + wire.fromDatabase.hindered;
      const before = sum();
      const hindered = hinder(wire, world);
      try {
        await after(ms);
      } finally {
        wire.heal();
      }
      const ways = hindered.map((way) => (way === wire.toDatabase ? 'to' : 'from')).join(' and ');
      return show(sum() > before, `${sum() - before} bytes ${ways} the database of ${world.nodes[at]?.name} were late or held`);
    },
  };
}

const SLOW_MS = 60;

export const databaseSlow = networkFails('database-slow', ({ toDatabase, fromDatabase }) => {
  const both = [toDatabase, fromDatabase];
  for (const way of both) way.delayMs = SLOW_MS;
  return both;
});

export const networkCut = networkFails('network-cut', ({ toDatabase, fromDatabase }, { random }) => {
  const way = random.pick([toDatabase, fromDatabase]);
  way.isCut = true;
  return [way];
});
