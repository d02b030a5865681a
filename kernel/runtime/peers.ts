// The direct lines from an actor to other actors, in its own thread. They are replaced when those actors restart.
import type { Api, PinnedRef } from '../actor.ts';
import type { Clock } from '../clock.ts';
import { Fault } from '../fault.ts';
import type { HostTask } from './incarnation.ts';
import { Lane, remoteOver } from './lane.ts';
import type { Line } from './line.ts';
import { Slot } from './slot.ts';

interface Peers {
  ref<A extends Api>(name: string): PinnedRef<A>;
  attach(name: string, key: string, line: Line): void;
  close(): void;
}

export function openPeers(declared: HostTask['peers'], clock: Clock): Peers {
  const lanes = new Map<string, Map<string, Lane>>();
  for (const [name, { keys, deadlineMs, maxQueue }] of Object.entries(declared)) {
    const lane = () => new Lane([new Slot()], { deadlineMs, maxQueue, perSlot: maxQueue, clock, observe: () => {} });
    lanes.set(name, new Map(keys.map((key) => [key, lane()])));
  }
  const open = new Set<Line>();
  return {
    ref<A extends Api>(name: string): PinnedRef<A> {
      const byKey = lanes.get(name);
      if (!byKey) throw new TypeError(`the spec must name the actor ${name} in peers`);
      const remotes = new Map([...byKey].map(([key, lane]) => [key, remoteOver<A>(lane)]));
      return { keys: () => [...remotes.keys()], at: (key) => remotes.get(key) ?? unknownKey(name, key) };
    },
    attach(name, key, line) {
      const slot = lanes.get(name)?.get(key)?.slots[0];
      if (!slot) return line.close();
      open.add(line);
      line.onClose(() => {
        open.delete(line);
        if (slot.serves(line)) slot.detach(`the channel to ${name}/${key} closed`);
      });
      slot.attach(line);
    },
    close() {
      for (const line of open) line.close();
    },
  };
}

export function unknownKey(name: string, key: string): never {
  throw new Fault('NOT_FOUND', { detail: `there is no ${name} named ${key}` });
}
