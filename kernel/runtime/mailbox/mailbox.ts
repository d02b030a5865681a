// The caller's side of an actor: a bounded queue in front of one or several dispatchers, and the typed remote that callers use.
import { currentRequestId } from '../../call-context.ts';
import { Fault } from '../../fault.ts';
import { currentSpan, type Span } from '../../tracing/span.ts';
import type { Beside } from '../beside.ts';
import { inspectPayload, ownMoved } from '../channel/bytes.ts';
import { Deadlines } from '../channel/deadlines.ts';
import type { Dispatcher } from '../channel/dispatcher.ts';
import type { MailboxOptions } from '../channel/mailbox-options.ts';
import { type CallOptions, Pending } from '../channel/pending.ts';
import { Room } from '../channel/room.ts';
import type { SharedQueue } from '../channel/shared-queue.ts';
import { Spares } from './spares.ts';

/** When calls wait in other threads too, those get this time to take a place before this one does. */
const YIELD_MS = 1;

export class Mailbox {
  readonly dispatchers: readonly Dispatcher[];
  /** Asked first; absent until the actor runs. */
  beside: Beside | undefined;
  readonly shared: SharedQueue | undefined;
  readonly #options: MailboxOptions;
  readonly #deadlines: Deadlines;
  /** In order of arrival. A Set, so that an abandoned call can be removed without a search. */
  readonly #waiting = new Set<Pending>();
  #closed = false;
  readonly #room: Room;
  readonly #spares: Spares;
  #onDrained: (() => void) | undefined;

  constructor(dispatchers: readonly Dispatcher[], options: MailboxOptions) {
    this.dispatchers = dispatchers;
    this.#options = options;
    this.shared = options.shared;
    this.#room = new Room(dispatchers, options);
    this.#spares = new Spares(dispatchers);
    this.#deadlines = new Deadlines(options.deadlineMs, options.clock);
    for (const dispatcher of dispatchers) dispatcher.onRoom = () => this.#onRoom();
    this.shared?.listen(() => this.#pump());
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get busy(): number {
    let busy = 0;
    for (const dispatcher of this.dispatchers) busy += dispatcher.busy;
    return busy;
  }

  /** @returns the answer itself where the part beside the caller has it at once; never throws */
  call(method: string, args: readonly unknown[], options: CallOptions): unknown {
    const { beside } = this;
    if (beside === undefined || this.#closed) return this.cross(method, args, options);
    return beside.call(method, args, options, this);
  }

  /** Asks the actor itself. @param writes whether the call is short and writes */
  cross(method: string, given: readonly unknown[], options: CallOptions, writes = false): Promise<unknown> {
    const { clock, observe, maxQueue } = this.#options;
    const refusal = this.#closed ? 'STOPPING' : (this.#refusal() ?? (this.#hasRoom(maxQueue) ? undefined : 'OVERLOADED'));
    if (refusal) {
      this.#note();
      observe(refusal, 0, 0);
      return Promise.reject(new Fault(refusal));
    }
    const args = ownMoved(given);
    let transfer: ArrayBuffer[];
    try {
      transfer = inspectPayload(args);
    } catch (error) {
      this.#note();
      return Promise.reject(error);
    }
    const deadlines = options.deadlineMs === undefined ? this.#deadlines : new Deadlines(options.deadlineMs, clock, true);
    const pending = new Pending(method, args, transfer, currentRequestId(), deadlines, observe, this.#begin(method));
    pending.writes = writes;
    // Its work has not begun, and may take no time at all.
    if (this.dispatchers[0]?.limitsWork) pending.unsent = 'OVERLOADED';
    if (options.signal) pending.watch(options.signal);
    if (!pending.settled) this.#admit(pending);
    return pending.promise;
  }

  #begin(method: string): Span | undefined {
    const { name } = this.#options;
    return name === undefined ? undefined : currentSpan()?.begin(`${name}.${method}`);
  }

  /** Refuses the waiting calls if no dispatcher can serve them. Called when a dispatcher has failed or is sealed; what rests still may serve them. */
  refuseWaiting(): void {
    const refusal = this.#refusal();
    if (!refusal) {
      if (this.#waiting.size > 0) this.#spares.wakeOne();
      return;
    }
    for (const pending of this.#waiting) pending.fail(refusal);
    this.#waiting.clear();
    this.#note();
    this.#tellDrained();
  }

  /** Accepts no more calls. Settles when the running calls have ended or `ms` have passed. */
  async drain(ms: number): Promise<void> {
    this.#closed = true;
    if (this.busy + this.#waiting.size === 0) return this.#closeTimers();
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
    this.#closeTimers();
  }

  /** A timer would keep the process running until its deadline. */
  #closeTimers(): void {
    this.#deadlines.close();
    for (const dispatcher of this.dispatchers) dispatcher.closeTimer();
  }

  /** @returns undefined while at least one dispatcher serves calls or will do so soon. What keeps one sealed keeps those that rest sealed too. */
  #refusal(): Dispatcher['refusal'] {
    let refusal: Dispatcher['refusal'];
    for (const { state, refusal: own } of this.dispatchers) {
      if (state === 'resting') continue;
      if (!own) return undefined;
      refusal = own;
    }
    return refusal !== 'KEY_SERVER_SEALED' && this.#spares.any ? undefined : refusal;
  }

  #admit(pending: Pending): void {
    const dispatcher = this.#waiting.size === 0 ? this.#room.for(pending) : undefined;
    if (dispatcher) {
      this.#spares.note(pending.writes, dispatcher);
      return dispatcher.send(pending);
    }
    this.#waiting.add(pending);
    pending.onAbandoned = () => {
      this.#waiting.delete(pending);
      this.#note();
      this.#tellDrained();
    };
    this.#note();
    this.#spares.wakeOne();
  }

  #hasRoom(maxQueue: number): boolean {
    const own = this.busy + this.#waiting.size;
    return this.shared?.admits(own, maxQueue) ?? own < maxQueue;
  }

  /** Tells the other threads what this one has under way. */
  #note(): void {
    this.shared?.note(this.busy + this.#waiting.size, this.#waiting.size);
  }

  #onRoom(): void {
    const { shared } = this;
    shared?.noteRunning(this.dispatchers);
    if (this.#spares.any) this.#spares.noteAside(this.#room.aside);
    if (!shared) return this.#pump();
    this.#note();
    if (!shared.wakeOthers() || this.#waiting.size === 0) this.#pump();
    else setTimeout(() => this.#pump(), YIELD_MS);
  }

  #pump(): void {
    for (const pending of this.#waiting) {
      const dispatcher = this.#room.for(pending);
      if (!dispatcher) return;
      this.#waiting.delete(pending);
      this.#note();
      dispatcher.send(pending);
    }
    this.#tellDrained();
  }

  #tellDrained(): void {
    if (this.#onDrained && this.busy + this.#waiting.size === 0) this.#onDrained();
  }
}
