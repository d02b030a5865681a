// Announces changes of what other nodes cache, and settles when none of them would still use what was there before. The rules: lease.ts.
import { watch } from '../trust.ts';
import { slotOf, type Versions } from '../versions.ts';
import { WAIT_MS } from './lease.ts';
import { changeText } from './lease-message.ts';

/** Identifiers of version counters; `all`: every counter. */
export type Touched = ReadonlySet<string> | 'all';

export const NOTHING: Touched = new Set();
export const sizeOf = (touched: Touched): number => (touched === 'all' ? 1 : touched.size);

export function allOf(done: readonly { readonly touched: Touched }[]): Touched {
  const all = new Set<string>();
  for (const { touched } of done) {
    if (touched === 'all') return touched;
    for (const counter of touched) all.add(counter);
  }
  return all;
}

export interface Announcement {
  /** For NOTIFY in the transaction that makes the changes. */
  readonly text: string;
  /** Call it after the commit. Moves this node's counters at once, and settles when no other node trusts what it cached before; undefined if there is none. */
  committed(): Promise<void> | undefined;
}

/** @param touched must not be empty */
export type Announce = (touched: Touched) => Announcement;

/** How often a waiting writer looks whether this node is alone by now. */
const LOOK_MS = 100;
/** More counters do not fit into a notification, and are announced as all. */
const MAX_SLOTS = 1_000;

/** What a store needs to announce changes. */
export interface Surroundings {
  readonly versions: Versions;
  /** Names this process in its changes. */
  readonly origin: string;
  /** Asks the database whether other nodes have leases. */
  hasOthers(): Promise<boolean>;
}

/** For a store that no other node writes. */
export function announcingHere(versions: Versions): Announce {
  return (touched) => ({ text: '', committed: () => move(versions, touched === 'all' ? undefined : touched) });
}

function move(versions: Versions, counters: Iterable<string> | undefined): undefined {
  if (counters) for (const counter of counters) versions.bump(counter);
  else versions.bumpAll();
}

/** @param committedAt on the monotonic clock, when the commit was known @returns whether a change may be answered */
export function isSettled({ trust }: Pick<Versions, 'trust'>, change: number, committedAt: number, now: number): boolean {
  return trust.isSeen(change) || trust.isAlone || now >= committedAt + WAIT_MS;
}

export function announcing(surroundings: Surroundings): Announce {
  const { versions, origin } = surroundings;
  return (touched) => {
    const change = versions.trust.nextChange();
    const slots = touched === 'all' || touched.size > MAX_SLOTS ? undefined : [...new Set([...touched].map(slotOf))];
    return {
      text: changeText(origin, change, slots),
      async committed() {
        const committedAt = watch.monotonicMs();
        if (slots) for (const slot of slots) versions.bumpSlot(slot);
        else versions.bumpAll();
        await settled(surroundings, change, committedAt);
      },
    };
  };
}

async function settled({ versions, hasOthers }: Surroundings, change: number, committedAt: number): Promise<void> {
  const { trust } = versions;
  // Without a list that can be used, the database knows whether anybody has to be waited for.
  if (!trust.isListed && !(await hasOthers().catch(() => true))) return;
  while (!isSettled(versions, change, committedAt, watch.monotonicMs())) await trust.waitSeen(change, LOOK_MS);
}
