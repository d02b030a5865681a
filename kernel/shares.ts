// Who holds how much of what is bounded, for each holder and in all: where there is no room left, whoever holds most loses first.

/** One thing that is held, such as a body that is arriving. */
export interface Holding {
  /** So much of it now, in place of what was said before. @returns false where there is no room for more of it: its owner gives it up, nothing has changed */
  set(amount: number): boolean;
  /** From now on it is not taken away for others: what it holds would not come back by that. */
  keep(): void;
  release(): void;
}

export interface SharesOptions {
  /** What one holder may have; a single holding may be larger where it is the holder's only one. */
  readonly each: number;
  /** What all may have together. */
  readonly total: number;
}

interface Entry {
  readonly lose: () => void;
  amount: number;
  isKept: boolean;
}

interface Holder {
  amount: number;
  /** It was refused more, and has given nothing back since. */
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

  /** The holder was refused more and has given nothing back since: what it asks for next can be refused before any work. */
  isFull(who: string): boolean {
    const holder = this.#holders.get(who);
    return holder !== undefined && (holder.wasRefused || holder.amount >= this.#options.each);
  }

  /** @param lose called once when it is taken away for others; it is released already then */
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

  /** The largest of what can be taken away from whoever holds most. */
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
