// Limits how many requests of one caller run at once, over all threads: many while they are quick, few while they are slow, so that threads stay free for others.
import { Fault } from '../fault.ts';
import { Bell } from '../shared/bell.ts';
import { Regions } from '../shared/region.ts';
import { type CallerRow, TurnTable } from './turn-table.ts';

export interface TurnsOptions {
  /** Requests at once of a caller whose requests are all slow, while there are other callers. */
  readonly least: number;
  /** The same while it is the only caller: enough to keep every thread busy. */
  readonly alone: number;
  /** Monotonic time in milliseconds, the same in all threads. */
  monotonic(): number;
}

/** Ends a turn. */
export type Leave = () => void;

/** What this thread knows of a caller. */
interface CallerTurns {
  readonly who: string;
  readonly waiting: Set<() => void>;
  row: CallerRow;
}

/** A request within QUICK_MS raises the limit of its caller by one; one that takes longer than SLOW_MS halves it. */
const QUICK_MS = 100;
const SLOW_MS = 400;
const FIRST = 4;
const MAX_AT_ONCE = 512;
const MAX_WAITING = 1_024;
/** A caller counts as the only one if no other caller has sent a request for this time. */
const ALONE_MS = 2_000;
/** Above this number of callers, this thread forgets those without waiting requests. */
const MAX_REMEMBERED = 10_000;
/** When other threads have requests that wait too, they get this time to begin one of them. */
const YIELD_MS = 1;
const LOOK_AGAIN_MS = 10;

export class Turns {
  readonly #options: TurnsOptions;
  readonly #table: TurnTable;
  readonly #callers = new Map<string, CallerTurns>();
  /** Those with waiting requests. */
  readonly #kept = new Set<CallerTurns>();
  readonly #isShared: boolean;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TurnsOptions, regions = new Regions(1), bell = new Bell(regions)) {
    this.#options = options;
    this.#table = new TurnTable(regions, bell, Math.max(FIRST, options.least));
    this.#isShared = regions.threads > 1;
    if (this.#isShared) bell.listen(() => this.#hear());
  }

  /**
   * Waits for a turn of this caller. @param request whose signal, which is asked for only if it waits, is aborted if the caller goes away meanwhile
   * @throws Fault OVERLOADED if too many requests of this caller wait already, CANCELLED if it goes away
   */
  enter(who: string, request?: { readonly signal: AbortSignal }): Leave | Promise<Leave> {
    const caller = this.#callerOf(who);
    this.#table.noteCaller(caller.row, this.#options.monotonic);
    if (this.#begin(caller)) return this.#leaver(caller);
    const waits = this.#table.addWaiting(caller.row, MAX_WAITING);
    if (waits === undefined) return this.enter(who, request);
    if (!waits) throw new Fault('OVERLOADED', { detail: 'too many of your requests are waiting; try again when some are answered' });
    return this.#wait(caller, request?.signal);
  }

  /** Ends the turns of an ended thread. */
  giveBack(thread: number): void {
    this.#table.giveBack(thread);
  }

  #wait(caller: CallerTurns, signal: AbortSignal | undefined): Promise<Leave> {
    return new Promise((resolve, reject) => {
      const start = () => {
        this.#unwait(caller, start);
        signal?.removeEventListener('abort', abandon);
        resolve(this.#leaver(caller));
      };
      const abandon = () => {
        this.#unwait(caller, start);
        reject(new Fault('CANCELLED'));
      };
      caller.waiting.add(start);
      this.#kept.add(caller);
      if (signal?.aborted) return abandon();
      signal?.addEventListener('abort', abandon, { once: true });
      if (this.#isShared) this.#timer ??= setTimeout(this.#lookAgain, LOOK_AGAIN_MS);
    });
  }

  /** Another thread may have ended a turn before it could see that somebody waits, or both left the last turn to each other. */
  readonly #lookAgain = (): void => {
    this.#timer = undefined;
    this.#hear();
    if (this.#kept.size > 0) this.#timer ??= setTimeout(this.#lookAgain, LOOK_AGAIN_MS);
  };

  #unwait(caller: CallerTurns, start: () => void): void {
    if (!caller.waiting.delete(start)) return;
    this.#table.removeWaiting(caller.row);
    if (caller.waiting.size === 0) this.#kept.delete(caller);
  }

  /** Takes a turn, if there is one. */
  #begin(caller: CallerTurns): boolean {
    let begun = this.#table.begin(caller.row);
    while (begun === undefined) {
      caller.row = this.#table.rowOf(caller.who);
      begun = this.#table.begin(caller.row);
    }
    return begun;
  }

  #leaver(caller: CallerTurns): Leave {
    const since = this.#options.monotonic();
    const { row } = caller;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#table.end(row);
      this.#learn(row, this.#options.monotonic() - since);
      // This object may have been forgotten since the turn began: who waits is in the present one.
      const present = this.#callers.get(caller.who) ?? caller;
      if (!this.#table.wakeOthers(row)) this.#admit(present);
      else if (present.waiting.size > 0) setTimeout(() => this.#admit(present), YIELD_MS);
    };
  }

  #admit(caller: CallerTurns): void {
    for (const start of caller.waiting) {
      if (!this.#begin(caller)) return;
      start();
    }
  }

  #hear(): void {
    for (const caller of [...this.#kept]) this.#admit(caller);
  }

  #learn(row: CallerRow, ms: number): void {
    if (ms <= QUICK_MS) this.#table.allow(row, (allowed) => Math.min(MAX_AT_ONCE, allowed + 1));
    else if (ms > SLOW_MS) this.#table.allow(row, (allowed) => Math.max(this.#least(), allowed >> 1));
  }

  #least(): number {
    const { least, alone, monotonic } = this.#options;
    return monotonic() - this.#table.otherAt > ALONE_MS ? alone : least;
  }

  #callerOf(who: string): CallerTurns {
    let caller = this.#callers.get(who);
    if (caller) return caller;
    if (this.#callers.size >= MAX_REMEMBERED) for (const [name, { waiting }] of this.#callers) if (waiting.size === 0) this.#callers.delete(name);
    caller = { who, row: this.#table.rowOf(who), waiting: new Set() };
    this.#callers.set(who, caller);
    return caller;
  }
}
