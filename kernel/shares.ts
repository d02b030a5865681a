// Divides a limited resource among holders, with a limit per holder and in total. If the total is exceeded, the largest holder loses first.

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

interface Entry {
  readonly lose: () => void;
  amount: number;
  isKept: boolean;
}

interface Holder {
  amount: number;
  /** It was refused more and has not released anything since. */
  wasRefused: boolean;
  readonly entries: Set<Entry>;
}

export class Shares {
  readonly #options: SharesOptions;
  readonly #holders = new Map<string, Holder>();
  #total = 0;

  constructor(options: SharesOptions) {
    this.#options = options;
  }

  get total(): number {
    return this.#total;
  }

  held(who: string): number {
    return this.#holders.get(who)?.amount ?? 0;
  }

  /** True if the holder is at its limit, or was refused more and has not released anything since. Its next request can then be refused before any work. */
  isFull(who: string): boolean {
    const holder = this.#holders.get(who);
    return holder !== undefined && (holder.wasRefused || holder.amount >= this.#options.each);
  }

  /** @param lose called once if the item is taken away for others; it is already released then */
  open(who: string, lose: () => void): Holding {
    const entry: Entry = { lose, amount: 0, isKept: false };
    return {
      set: (amount) => this.#set(who, entry, amount),
      keep: () => {
        entry.isKept = true;
      },
      release: () => this.#count(who, entry, 0),
    };
  }

  #set(who: string, entry: Entry, amount: number): boolean {
    const more = amount - entry.amount;
    const holder = this.#holders.get(who);
    const others = (holder?.amount ?? 0) - entry.amount;
    if (more > 0 && holder && others > 0 && others + amount > this.#options.each) {
      holder.wasRefused = true;
      return false;
    }
    this.#count(who, entry, amount);
    while (more > 0 && this.#total > this.#options.total) {
      const [loser, lost] = this.#loser() ?? [who, entry];
      this.#count(loser, lost, 0);
      if (lost === entry) return false;
      lost.lose();
    }
    return true;
  }

  #count(who: string, entry: Entry, amount: number): void {
    const change = amount - entry.amount;
    if (change === 0) return;
    const holder = this.#holders.get(who) ?? { amount: 0, wasRefused: false, entries: new Set() };
    this.#holders.set(who, holder);
    entry.amount = amount;
    holder.amount += change;
    if (change < 0) holder.wasRefused = false;
    this.#total += change;
    if (amount > 0) holder.entries.add(entry);
    else holder.entries.delete(entry);
    if (holder.entries.size === 0) this.#holders.delete(who);
  }

  /** @returns the largest removable item of the largest holder that has one */
  #loser(): [string, Entry] | undefined {
    let most: { who: string; amount: number; entry: Entry } | undefined;
    for (const [who, { amount, entries }] of this.#holders) {
      if (most && amount <= most.amount) continue;
      const entry = largest(entries);
      if (entry) most = { who, amount, entry };
    }
    return most && [most.who, most.entry];
  }
}

function largest(entries: ReadonlySet<Entry>): Entry | undefined {
  let found: Entry | undefined;
  for (const entry of entries) if (!entry.isKept && (!found || entry.amount > found.amount)) found = entry;
  return found;
}
