// The lease under which a node trusts its caches of rows that other nodes write, without input or output: lease-link.ts connects it to PostgreSQL.
//
// What each node holds to. Times are elapsed times of its own monotonic clock; no two clocks are compared.
// 1. A change of something cached is announced by NOTIFY in its own transaction. PostgreSQL delivers notifications in the order of the commits.
// 2. A renewal is a transaction on the connection that listens, and notifies too. Its own notification comes behind those of all earlier commits.
//    So a node whose last renewal was committed at time c has seen every change before c.
// 3. A node trusts its caches for TRUST_MS after it has *sent* the last renewal. So WAIT_MS after the commit of a change nobody trusts a cache
//    without having seen it, whatever was lost: a writer that hears nothing waits that long, and nobody needs to be known for that.
// 4. A writer that knows who holds leases waits for them only. Its list was asked for less than TRUST_MS ago. A node trusts nothing until a renewal
//    that it sent JOIN_MS after its row was there: a node that is not on the list yet sees every change for which the list was used.
// 5. A node that has lost its connection, or whose renewal came back later than TRUST_MS after the one before was sent, was perhaps taken off the
//    lists, trusted or not: it joins anew.
// 6. When trust begins, everything cached before is void. Without trust nothing is read from caches or put into them.

/** Trust after a renewal was sent. */
const TRUST_MS = 3_000;
/** How long a new member is visible before it may trust; how long a writer waits for those that do not answer. Longer than TRUST_MS by what clocks may differ. */
const JOIN_MS = 3_500;
export const WAIT_MS = 3_500;
/** Messages that nobody waits for any more. */
const FORGET_MS = 10_000;

export interface LeaseRow {
  readonly node: string;
  /** Of one membership: a node that joins anew has another. */
  readonly term: string;
  /** Changes with each renewal. */
  readonly beat: number;
}

export interface Renewal {
  readonly sentAt: number;
  /** Whether this member's row was still there. */
  readonly isThere: boolean;
  /** Whether the renewal's own notification came before its result. */
  readonly isHeard: boolean;
  readonly rows: readonly LeaseRow[];
}

/** What follows from what the lease is told. */
export interface LeaseEffects {
  /** @param untilMs on the monotonic clock */
  trust(untilMs: number): void;
  distrust(): void;
  /** @param slots counters of Versions; undefined: all */
  invalidate(slots: readonly number[] | undefined): void;
  /** @param untilMs how long the list of members may be used; 0: there is none @param isAlone whether it is empty */
  list(untilMs: number, isAlone: boolean): void;
  /** Every other member has seen this node's change. */
  noteSeen(change: number): void;
}

/** A change of another node, which wants to know that it was seen. */
export interface Seen {
  readonly origin: string;
  readonly change: number;
}

interface Member {
  readonly beat: number;
  /** When this beat was first known here. */
  readonly since: number;
  readonly isLive: boolean;
}

interface Waiting {
  readonly at: number;
  /** Undefined until the list of members can be used. */
  needed: Set<string> | undefined;
  readonly seenBy: Set<string>;
}

export class Lease {
  readonly #origin: string;
  readonly #effects: LeaseEffects;
  #term = '';
  #joinedAt: number | undefined;
  /** Others may take this member off their lists if its next renewal has not come back by then. */
  #aliveUntil = 0;
  #isTrusted = false;
  #listedUntil = 0;
  #members: ReadonlyMap<string, Member> = new Map();
  readonly #waiting = new Map<number, Waiting>();

  /** @param origin names this process in its changes */
  constructor(origin: string, effects: LeaseEffects) {
    this.#origin = origin;
    this.#effects = effects;
  }

  /** The row of a new membership is committed, and its connection listens. @param sentAt when it was sent */
  joined(term: string, sentAt: number, now: number): void {
    this.lost();
    this.#term = term;
    this.#joinedAt = now;
    this.#aliveUntil = sentAt + TRUST_MS;
  }

  /** The connection is lost, or the membership is given up. */
  lost(): void {
    this.#joinedAt = undefined;
    this.#isTrusted = false;
    this.#listedUntil = 0;
    this.#effects.distrust();
    this.#effects.list(0, false);
  }

  /** Call it often: trust that has ended is given up, also if no renewal comes back. @returns false if the node must join anew */
  tick(now: number): boolean {
    if (this.#joinedAt === undefined) return false;
    if (now < this.#aliveUntil) return true;
    this.lost();
    return false;
  }

  /** @returns false if the node must join anew */
  renewed({ sentAt, isThere, isHeard, rows }: Renewal, now: number): boolean {
    if (!isThere || !isHeard) this.lost();
    const until = sentAt + TRUST_MS;
    if (!this.tick(now)) return false;
    this.#aliveUntil = until;
    if (!this.tick(now)) return false;
    this.#look(rows, sentAt, now);
    this.#listedUntil = until;
    this.#effects.list(until, this.#live.size === 0);
    this.#settle(now);
    if (sentAt < (this.#joinedAt as number) + JOIN_MS) return true;
    if (!this.#isTrusted) this.#effects.invalidate(undefined);
    this.#isTrusted = true;
    this.#effects.trust(until);
    return true;
  }

  /** Members that have given no sign of life for so long that they trust nothing. Their rows can go. */
  get gone(): readonly string[] {
    return [...this.#members].flatMap(([term, { isLive }]) => (isLive ? [] : [term]));
  }

  /** A change that any node has announced, this one too. @returns what to tell its origin, after this */
  heardChange(origin: string, change: number, slots: readonly number[] | undefined, now: number): Seen | undefined {
    this.#effects.invalidate(slots);
    if (origin !== this.#origin) return { origin, change };
    this.#waiting.set(change, { at: now, needed: undefined, seenBy: new Set() });
    this.#settle(now);
    return undefined;
  }

  /** A member has seen these changes of `origin`. */
  heardSeen(term: string, origin: string, changes: readonly number[], now: number): void {
    if (origin !== this.#origin) return;
    for (const change of changes) this.#waiting.get(change)?.seenBy.add(term);
    this.#settle(now);
  }

  #look(rows: readonly LeaseRow[], sentAt: number, now: number): void {
    const before = this.#members;
    const others = rows.filter(({ term }) => term !== this.#term);
    this.#members = new Map(
      others.map(({ term, beat }) => {
        const known = before.get(term);
        if (known?.beat !== beat) return [term, { beat, since: now, isLive: true }];
        // When this list was asked for, the last renewal that it can have was committed for so long.
        return [term, { ...known, isLive: sentAt < known.since + WAIT_MS }];
      }),
    );
  }

  get #live(): ReadonlySet<string> {
    return new Set([...this.#members].flatMap(([term, { isLive }]) => (isLive ? [term] : [])));
  }

  #settle(now: number): void {
    if (this.#waiting.size === 0) return;
    const live = now < this.#listedUntil ? this.#live : undefined;
    for (const [change, waiting] of this.#waiting) {
      if (live) waiting.needed = waiting.needed ? waiting.needed.intersection(live) : new Set(live);
      const isSeen = waiting.needed?.isSubsetOf(waiting.seenBy) ?? false;
      if (isSeen) this.#effects.noteSeen(change);
      if (isSeen || now > waiting.at + FORGET_MS) this.#waiting.delete(change);
    }
  }
}
