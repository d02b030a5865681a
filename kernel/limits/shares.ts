// Divides a limited resource among holders, with a limit per holder and in total, over all threads. If the total is exceeded, the largest holder loses first.
import { Bell } from '../shared/bell.ts';
import { type Item, Ledger, newItem } from '../shared/ledger.ts';
import { Regions } from '../shared/region.ts';

/** One held item, such as a body that is arriving. */
export interface Holding {
  /** Sets the amount of this item. @returns false if there is no room: the holder must then give up the item */
  set(amount: number): boolean;
  /** From now on the item cannot be taken away for others, because that would not free its memory. */
  keep(): void;
  release(): void;
}

export interface SharesOptions {
  /** Limit per holder. A single item may be larger if it is the holder's only one. */
  readonly each: number;
  /** Limit of all holders together. */
  readonly total: number;
}

/** Most items of one thread at once; no further one gets room. */
const MAX_ITEMS = 32_768;
export const SHARES_LEDGER = { items: MAX_ITEMS, holders: 2 * MAX_ITEMS, loses: 'largest' } as const;

export class Shares {
  readonly #options: SharesOptions;
  readonly #ledger: Ledger;

  /** @param ledger who holds what, over all threads; by default, shares of this thread only */
  constructor(options: SharesOptions, ledger: Ledger = ownLedger()) {
    this.#options = options;
    this.#ledger = ledger;
  }

  get total(): number {
    return this.#ledger.total;
  }

  held(who: string): number {
    return this.#ledger.held(who);
  }

  /** True if the holder is at its limit, or was refused more and has not released anything since. Its next request can then be refused before any work. */
  isFull(who: string): boolean {
    return this.#ledger.isFull(who, this.#options.each);
  }

  /** @param lose called once if the item is taken away for others; it is already released then */
  open(who: string, lose: () => void): Holding {
    const item = newItem(who, lose);
    const ledger = this.#ledger;
    let isKept = false;
    return {
      set: (amount) => {
        const isHeld = ledger.change(() => this.#set(item, amount));
        if (isKept) ledger.keep(item);
        return isHeld;
      },
      keep() {
        isKept = true;
        ledger.keep(item);
      },
      release() {
        if (ledger.isIn(item)) ledger.change(() => ledger.put(item, 0));
      },
    };
  }

  #set(item: Item, amount: number): boolean {
    const ledger = this.#ledger;
    const now = ledger.amountOf(item);
    const others = ledger.held(item.who) - now;
    if (amount > now && others > 0 && others + amount > this.#options.each) {
      ledger.refuse(item.who);
      return false;
    }
    if (!ledger.put(item, amount)) return false;
    while (amount > now && ledger.total > this.#options.total) {
      const lost = ledger.lose();
      if (lost !== undefined && lost !== item) continue;
      // It knows by the answer.
      if (lost === item) ledger.untell(item);
      else ledger.put(item, 0);
      return false;
    }
    return true;
  }
}

function ownLedger(): Ledger {
  const regions = new Regions(1);
  return new Ledger(regions, new Bell(regions), 'shares', SHARES_LEDGER);
}
