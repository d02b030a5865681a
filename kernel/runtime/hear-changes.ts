// The server's end of the version counters of a process: moves the counters of its threads, and tells the process when other nodes have seen a change.
import { isSettled } from '../store/announcement.ts';
import { type Trust, watch } from '../trust.ts';
import { SLOTS, type Versions } from '../versions.ts';
import type { Channel } from './channel/channel.ts';

/** How often it is looked whether this node is alone by now. */
const LOOK_MS = 100;

/** The other end may be a process whose native library went astray: what it says can make caches void, and nothing else. */
export function hearChanges(channel: Channel, versions: Versions): void {
  channel.onControl((message) => {
    if (message.kind === 'touched') move(versions, message['slots']);
    if (message.kind === 'unseen' && Number.isSafeInteger(message['change'])) void tellSeen(channel, versions, message['change'] as number);
  });
}

/** At once: the answers of the process come behind this message, and are passed on by this thread. */
function move(versions: Versions, slots: unknown): void {
  const isList = Array.isArray(slots) && slots.every((slot) => Number.isInteger(slot) && slot >= 0 && slot < SLOTS);
  if (isList) for (const slot of slots) versions.bumpSlot(slot as number);
  else versions.bumpAll();
}

/** Says nothing if it takes longer than anybody trusts a cache: the process then goes on by itself. */
async function tellSeen(channel: Channel, versions: { readonly trust: Trust }, change: number): Promise<void> {
  const askedAt = watch.monotonicMs();
  while (!isSettled(versions, change, askedAt, watch.monotonicMs())) await versions.trust.waitSeen(change, LOOK_MS);
  channel.control({ kind: 'seen', change });
  channel.flush();
}
