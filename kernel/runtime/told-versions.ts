// Version counters of an actor in a process, which shares no memory with the server: it tells the server what it changes before the answer can leave.
import { dataVersionOf } from '../store/data-version.ts';
import { databaseFile } from '../store/store-url.ts';
import { Trust } from '../trust.ts';
import { createVersions, slotOf, type Versions } from '../versions.ts';
import type { Channel } from './channel/channel.ts';

/** How many numbers of changes a process has. They differ from those of all others; of its own, those under way at the same time differ. */
export const CHANGES = 65_536;

/**
 * On SQLite, every commit makes void what the process has cached; on PostgreSQL it caches nothing, because the lease is the server's.
 * @param channel to the server @param first the first of the process's numbers of changes
 */
export function toldVersions(channel: Channel, url: string, first: number): Versions {
  const { memory, turns } = createVersions();
  const touched = new Touched(channel);
  const file = databaseFile(url);
  return {
    ...{ memory, turns, trust: new ToldTrust(channel, first) },
    read: file === undefined ? () => Number.NaN : dataVersionOf(file),
    bump: (id) => touched.add(slotOf(id)),
    bumpSlot: (slot) => touched.add(slot),
    bumpAll: () => touched.addAll(),
  };
}

/** Sends what one commit has changed as one message, at the end of the microtask: everything that leaves this process later arrives later. */
class Touched {
  readonly #channel: Channel;
  readonly #slots = new Set<number>();
  #isAll = false;
  #isWaiting = false;

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  add(slot: number): void {
    this.#slots.add(slot);
    this.#sendSoon();
  }

  addAll(): void {
    this.#isAll = true;
    this.#sendSoon();
  }

  #sendSoon(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    queueMicrotask(() => this.#send());
  }

  #send(): void {
    this.#channel.control({ kind: 'touched', slots: this.#isAll ? null : [...this.#slots] });
    this.#channel.flush();
    this.#slots.clear();
    this.#isAll = false;
    this.#isWaiting = false;
  }
}

/** Without a lease of its own: a change waits until the server says that every other node has seen it. */
class ToldTrust extends Trust {
  readonly #channel: Channel;
  readonly #first: number;
  readonly #asked = new Set<number>();
  #next = 0;

  constructor(channel: Channel, first: number) {
    super();
    this.#channel = channel;
    this.#first = first;
    channel.onControl(({ kind, change }) => {
      if (kind === 'seen') this.noteSeen(change as number);
    });
  }

  override nextChange(): number {
    this.#next = (this.#next + 1) % CHANGES;
    return this.#first + this.#next;
  }

  override async waitSeen(change: number, longestMs: number): Promise<void> {
    if (!this.#asked.has(change)) {
      this.#asked.add(change);
      this.#channel.control({ kind: 'unseen', change });
      this.#channel.flush();
    }
    await super.waitSeen(change, longestMs);
    if (this.isSeen(change)) this.#asked.delete(change);
  }
}
