// The lists of the keys of slots: searches that come together share one, and one that came too late for its search is there for the next.
import type { Answered, HsmAnswer, TokenKey } from '../api.ts';

/** Searches of the key server wait no longer for a list, in milliseconds. One that was quicker is not kept: keys that vendor tools make are found at once. */
const LATE_MS = 2_000;
/** A late list is used for so long, in milliseconds. */
const KEPT_MS = 60_000;

interface Kept {
  readonly list: Promise<HsmAnswer<readonly TokenKey[]>>;
  /** Milliseconds, monotonic. */
  until: number;
}

export class KeyLists {
  readonly #monotonic: () => number;
  /** By slot. */
  readonly #kept = new Map<number, Kept>();

  /** @param monotonic milliseconds */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  of(slot: number, list: () => Answered<readonly TokenKey[]>): Answered<readonly TokenKey[]> {
    this.sweep();
    const known = this.#kept.get(slot);
    if (known) return known.list;
    const since = this.#monotonic();
    const made = list();
    if (!(made instanceof Promise)) return made;
    const kept: Kept = { list: made, until: Number.POSITIVE_INFINITY };
    this.#kept.set(slot, kept);
    const end = (isListed: boolean) => {
      const now = this.#monotonic();
      kept.until = isListed && now - since > LATE_MS ? now + KEPT_MS : now;
      this.sweep();
    };
    made.then(
      ({ ok }) => end(ok),
      () => end(false),
    );
    return made;
  }

  /** Forgets those whose time is over. */
  sweep(): void {
    const now = this.#monotonic();
    for (const [slot, { until }] of this.#kept) if (until <= now) this.#kept.delete(slot);
  }
}
