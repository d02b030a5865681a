// The caller's side of an actor: a bounded queue in front of one or several slots, and the typed remote that callers use.
import { performance } from 'node:perf_hooks';
import type { Api, Remote } from '../actor.ts';
import { currentRequestId } from '../call-context.ts';
import type { Clock } from '../clock.ts';
import { Fault } from '../fault.ts';
import type { Beside } from './beside.ts';
import { inspectPayload } from './bytes.ts';
import { Deadlines } from './deadlines.ts';
import { type CallObserver, type CallOptions, Pending } from './pending.ts';
import type { Slot } from './slot.ts';

interface LaneOptions {
  readonly deadlineMs: number;
  /** Limit of waiting and running calls; further calls are refused with OVERLOADED. */
  readonly maxQueue: number;
  /** Calls that one slot gets at a time. */
  readonly perSlot: number;
  readonly clock: Clock;
  readonly observe: CallObserver;
}

/** A slot that has not answered for this time is considered slow. */
const SLOW_MS = 10;

export class Lane {
  readonly slots: readonly Slot[];
  /** Asked first; absent until the actor runs. */
  beside: Beside | undefined;
  readonly #options: LaneOptions;
  readonly #deadlines: Deadlines;
  /** In order of arrival. A Set, so that an abandoned call can be removed without a search. */
  readonly #waiting = new Set<Pending>();
  #closed = false;
  #onDrained: (() => void) | undefined;

  constructor(slots: readonly Slot[], options: LaneOptions) {
    this.slots = slots;
    this.#options = options;
    this.#deadlines = new Deadlines(options.deadlineMs, options.clock);
    for (const slot of slots) slot.onRoom = () => this.#pump();
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get busy(): number {
    let busy = 0;
    for (const slot of this.slots) busy += slot.busy;
    return busy;
  }

  call(method: string, args: readonly unknown[], options: CallOptions): Promise<unknown> {
    const { beside } = this;
    if (beside === undefined || this.#closed || !beside.serves(method)) return this.cross(method, args, options);
    return beside.call(method, args, () => this.cross(method, args, options));
  }

  /** Asks the actor itself. */
  cross(method: string, args: readonly unknown[], options: CallOptions): Promise<unknown> {
    const { clock, observe, maxQueue } = this.#options;
    const refusal = this.#closed ? 'STOPPING' : (this.#refusal() ?? (this.busy + this.#waiting.size >= maxQueue ? 'OVERLOADED' : undefined));
    if (refusal) {
      observe(refusal, 0, 0);
      return Promise.reject(new Fault(refusal));
    }
    let transfer: ArrayBuffer[];
    try {
      transfer = inspectPayload(args);
    } catch (error) {
      return Promise.reject(error);
    }
    const deadlines = options.deadlineMs === undefined ? this.#deadlines : new Deadlines(options.deadlineMs, clock, true);
    const pending = new Pending(method, args, transfer, currentRequestId(), deadlines, observe);
    if (options.signal) pending.watch(options.signal);
    if (!pending.settled) this.#admit(pending);
    return pending.promise;
  }

  /** Refuses the waiting calls if no slot can serve them. Called when a slot has failed or is sealed. */
  refuseWaiting(): void {
    const refusal = this.#refusal();
    if (!refusal) return;
    for (const pending of this.#waiting) pending.fail(refusal);
    this.#waiting.clear();
  }

  /** Accepts no more calls. Settles when the running calls have ended or `ms` have passed. */
  async drain(ms: number): Promise<void> {
    this.#closed = true;
    if (this.busy + this.#waiting.size === 0) return this.#deadlines.close();
    const { clock } = this.#options;
    await new Promise<void>((resolve) => {
      const timer = clock.setTimeout(resolve, ms);
      this.#onDrained = () => {
        clock.clearTimeout(timer);
        resolve();
      };
    });
    for (const pending of this.#waiting) pending.fail('STOPPING');
    this.#waiting.clear();
    this.#deadlines.close();
  }

  /** @returns undefined while at least one slot serves calls or will do so soon */
  #refusal(): Slot['refusal'] {
    let refusal: Slot['refusal'];
    for (const slot of this.slots) {
      refusal = slot.refusal;
      if (!refusal) return undefined;
    }
    return refusal;
  }

  #admit(pending: Pending): void {
    const slot = this.#waiting.size === 0 ? this.#room() : undefined;
    if (slot) return slot.send(pending);
    this.#waiting.add(pending);
    pending.onAbandoned = () => void this.#waiting.delete(pending);
  }

  /** @returns the least busy slot with room. Slow slots are left out while another slot is quick, because a new call would wait there. */
  #room(): Slot | undefined {
    const now = performance.now();
    const isQuick = (slot: Slot) => slot.state === 'up' && slot.silentFor(now) < SLOW_MS;
    const isChoice = this.slots.length > 1 && this.slots.some(isQuick);
    let best: Slot | undefined;
    for (const slot of this.slots) {
      if (isChoice && !isQuick(slot)) continue;
      if (slot.state === 'up' && slot.engaged < this.#options.perSlot && (!best || slot.engaged < best.engaged)) best = slot;
    }
    return best;
  }

  #pump(): void {
    for (const pending of this.#waiting) {
      const slot = this.#room();
      if (!slot) return;
      this.#waiting.delete(pending);
      slot.send(pending);
    }
    if (this.#onDrained && this.busy === 0) this.#onDrained();
  }
}

const OPTIONS = Symbol('call options');

interface Optional {
  [OPTIONS](options: CallOptions): unknown;
}

/** @returns the typed remote over a lane. It has methods only, and each is created once. */
export function remoteOver<A extends Api>(lane: Pick<Lane, 'call'>, options: CallOptions = {}): Remote<A> {
  const methods = new Map<string | symbol, unknown>([
    // A remote is not a promise: awaiting it by mistake must not call a method `then` of the actor.
    ['then', undefined],
    [OPTIONS, (more: CallOptions) => remoteOver(lane, { ...options, ...more })],
  ]);
  return new Proxy(Object.create(null), {
    get(_target, name) {
      if (!methods.has(name)) methods.set(name, (...args: unknown[]) => lane.call(String(name), args, options));
      return methods.get(name);
    },
    set: () => false,
  }) as Remote<A>;
}

/** @returns the same remote, with another deadline or with a signal that cancels calls */
export function callWith<A extends Api>(remote: Remote<A>, options: CallOptions): Remote<A> {
  return (remote as unknown as Optional)[OPTIONS](options) as Remote<A>;
}
