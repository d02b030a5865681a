// One place that serves calls of an actor: a channel, which may be lost and replaced, and the calls that run on it.
import { performance } from 'node:perf_hooks';
import type { Channel } from './channel.ts';
import { type Answer, CALL } from './messages.ts';
import type { Pending } from './pending.ts';
import type { WorkLimit } from './work-limit.ts';

/** `resting`: not started before a call needs it. `down`: starting or about to restart; calls can wait for it. `failed`, `sealed`: calls are refused. */
type DispatcherState = 'resting' | 'up' | 'down' | 'failed' | 'sealed';

const REFUSALS = { resting: undefined, up: undefined, down: undefined, failed: 'UNAVAILABLE', sealed: 'KEY_SERVER_SEALED' } as const;

/** Milliseconds. A thread says nothing while it commits, and a write would only wait for that commit in another thread. */
const SLOW_MS = 10;
const SLOW_COMMIT_MS = 100;

export class Dispatcher {
  state: DispatcherState = 'down';
  /** Called once, when a call needs a resting actor. */
  onNeeded: () => void = () => {};
  /** Called when there may be room for another call, or no call runs any more. */
  onRoom: () => void = () => {};
  /** Called when the deadline of a call passes while it runs here. */
  onLate: () => void = () => {};
  readonly #inFlight = new Map<number, Pending>();
  readonly #aside = new Set<number>();
  readonly #run: WorkLimit | undefined;
  #channel: Channel | undefined;
  #next = 1;
  /** Time of the last answer, or of the first call after the actor was idle. */
  #heardAt = 0;

  /** @param run limit of the work alone; without it the deadline counts from the creation of the call */
  constructor(run?: WorkLimit) {
    this.#run = run;
  }

  /** Whether the time limit is that of the work alone. */
  get limitsWork(): boolean {
    return this.#run !== undefined;
  }

  /** Running calls, including those whose caller has given up, because the actor still works on them. */
  get busy(): number {
    return this.#inFlight.size;
  }

  /** Running calls that keep the actor from taking others. */
  get engaged(): number {
    return this.#inFlight.size - this.#aside.size;
  }

  /** Running calls that only wait: for work elsewhere, of which the actor may have but one piece done at a time. */
  get aside(): number {
    return this.#aside.size;
  }

  /** The fault code with which calls are refused if no other dispatcher can serve them; undefined if this dispatcher serves them or they can wait. */
  get refusal(): (typeof REFUSALS)[DispatcherState] {
    return REFUSALS[this.state];
  }

  /** Whether the actor has had work for long without giving an answer. @param writes whether the next call is short and writes */
  isSlow(now: number, writes: boolean): boolean {
    return this.engaged > 0 && now - this.#heardAt >= (writes ? SLOW_COMMIT_MS : SLOW_MS);
  }

  /** Running calls whose caller has given up. */
  get overdue(): number {
    let count = 0;
    for (const pending of this.#inFlight.values()) if (pending.settled) count++;
    return count;
  }

  /** @returns numbers that tell these calls apart; no other call ever has them */
  givenUp(): readonly number[] {
    return [...this.#inFlight].flatMap(([n, { settled }]) => (settled ? [n] : []));
  }

  /** Ends the watch over the time limits of calls. */
  closeTimer(): void {
    this.#run?.close();
  }

  /** Has a resting actor start. */
  wake(): void {
    if (this.state !== 'resting') return;
    this.state = 'down';
    this.onNeeded();
  }

  attach(channel: Channel): void {
    if (this.#channel) this.detach('replaced by a newer channel');
    this.#channel = channel;
    this.#run?.follow(channel);
    channel.onAnswer((answer) => this.#finish(channel, answer));
    channel.onControl(({ kind, n }) => {
      if (kind !== 'aside' || this.#channel !== channel || !this.#inFlight.has(n as number)) return;
      this.#aside.add(n as number);
      this.onRoom();
    });
    this.state = 'up';
    this.onRoom();
  }

  serves(channel: Channel): boolean {
    return this.#channel === channel;
  }

  /** Removes the channel. The calls that ran on it fail with ACTOR_LOST, because their outcome is unknown. */
  detach(cause: unknown, state: Exclude<DispatcherState, 'up' | 'resting'> = 'down'): void {
    this.#channel = undefined;
    this.state = state;
    const lost = [...this.#inFlight.values()];
    this.#inFlight.clear();
    this.#aside.clear();
    for (const pending of lost) pending.fail('ACTOR_LOST', cause);
    this.onRoom();
  }

  send(pending: Pending): void {
    const channel = this.#channel;
    if (!channel) return pending.fail('ACTOR_LOST', 'no channel');
    const n = this.#next++;
    if (this.engaged === 0) this.#heardAt = performance.now();
    this.#inFlight.set(n, pending);
    pending.onAbandoned = (code) => {
      channel.control({ kind: 'cancel', n });
      if (code === 'DEADLINE') this.onLate();
    };
    pending.markSent(this.#run);
    const { method, requestId, args, span } = pending;
    channel.send(span ? [CALL, n, method, requestId, args, span.wire] : [CALL, n, method, requestId, args], pending.transfer);
  }

  /** An answer to a call that is not under way here is dropped: the channel may be one that was replaced. */
  #finish(channel: Channel, answer: Answer): void {
    const n = answer[1];
    const pending = this.#channel === channel ? this.#inFlight.get(n) : undefined;
    if (!pending) return;
    this.#inFlight.delete(n);
    this.#aside.delete(n);
    this.#heardAt = performance.now();
    pending.answer(answer);
    this.onRoom();
  }
}
