// One call, from its creation to its end. It settles exactly once, with a value or a Fault.
import { performance } from 'node:perf_hooks';
import { decodeFault, Fault } from '../../fault.ts';
import type { Span } from '../../tracing/span.ts';
import type { Deadlines, Due } from './deadlines.ts';
import { type Answer, VALUE } from './messages.ts';
import type { Extension, WorkLimit } from './work-limit.ts';

export interface CallOptions {
  /** Overrides the deadline of the spec. */
  readonly deadlineMs?: number;
  /** If it is aborted, the call ends with CANCELLED. A call that has not begun is dropped. */
  readonly signal?: AbortSignal | undefined;
}

/** Gets the waiting and running time of each call, for the metrics. `outcome` is `ok` or a fault code. */
export type CallObserver = (outcome: string, waitMs: number, runMs: number) => void;

export class Pending implements Due {
  readonly method: string;
  readonly args: readonly unknown[];
  readonly requestId: string | undefined;
  /** If the call is traced. It tells the time in the queue from that in the actor. */
  readonly span: Span | undefined;
  readonly promise: Promise<unknown>;
  /** Buffers that are transferred with the call. */
  readonly transfer: ArrayBuffer[];
  /** Called once if the caller stops waiting, because of the deadline or a cancellation. */
  onAbandoned: ((code: 'DEADLINE' | 'OVERLOADED' | 'CANCELLED') => void) | undefined;
  settled = false;
  /** It is short and writes: replicas serve such calls together. */
  writes = false;
  /** How it ends if its deadline passes before it was sent. */
  unsent: 'DEADLINE' | 'OVERLOADED' = 'DEADLINE';
  dueAt = 0;
  before: Due['before'];
  after: Due['after'];
  #resolve!: (value: unknown) => void;
  #reject!: (fault: Fault) => void;
  #signal: AbortSignal | undefined;
  #sentAt: number | undefined;
  readonly #madeAt = performance.now();
  #deadlines: Deadlines;
  #extension: Extension | undefined;
  readonly #observe: CallObserver;

  constructor(
    method: string,
    args: readonly unknown[],
    transfer: ArrayBuffer[],
    requestId: string | undefined,
    deadlines: Deadlines,
    observe: CallObserver,
    span?: Span,
  ) {
    this.method = method;
    this.args = args;
    this.transfer = transfer;
    this.requestId = requestId;
    this.span = span;
    this.#deadlines = deadlines;
    this.#observe = observe;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    deadlines.add(this);
  }

  watch(signal: AbortSignal): void {
    if (signal.aborted) return this.#abandon('CANCELLED');
    this.#signal = signal;
    signal.addEventListener('abort', this.#cancel, { once: true });
  }

  /** The call was sent to the actor. @param run limit of the work, which replaces the current deadline */
  markSent(run: WorkLimit | undefined): void {
    this.#sentAt = performance.now();
    if (!run) return;
    this.#extension = run.begin();
    this.#watchBy(run.deadlines);
  }

  #watchBy(deadlines: Deadlines): void {
    this.#deadlines.delete(this);
    this.#deadlines = deadlines;
    deadlines.add(this);
  }

  answer(answer: Answer): void {
    const ms = answer[2];
    if (answer[0] === VALUE) {
      if (this.#settle('ok', ms)) this.#resolve(answer[3]);
    } else if (this.#settle(answer[3].code, ms)) this.#reject(decodeFault(answer[3]));
  }

  fail(code: string, cause?: unknown): void {
    if (this.#settle(code, 0)) this.#reject(new Fault(code, { cause }));
  }

  onDeadline(): void {
    const more = this.#extension?.();
    if (more) this.#watchBy(more);
    else this.#abandon(this.#sentAt === undefined ? this.unsent : 'DEADLINE');
  }

  readonly #cancel = () => this.#abandon('CANCELLED');

  #abandon(code: 'DEADLINE' | 'OVERLOADED' | 'CANCELLED'): void {
    if (this.settled) return;
    this.fail(code);
    this.onAbandoned?.(code);
  }

  /** @returns false if the call has already ended */
  #settle(outcome: string, runMs: number): boolean {
    if (this.settled) return false;
    this.settled = true;
    this.#deadlines.delete(this);
    this.#signal?.removeEventListener('abort', this.#cancel);
    const waitMs = (this.#sentAt ?? performance.now()) - this.#madeAt;
    this.#observe(outcome, waitMs, runMs);
    if (this.span) this.#endSpan(this.span, outcome, waitMs, runMs);
    return true;
  }

  #endSpan(span: Span, outcome: string, waitMs: number, runMs: number): void {
    span.set({ 'gatehouse.actor.wait_ms': waitMs, 'gatehouse.actor.run_ms': runMs });
    span.end(outcome === 'ok' ? undefined : outcome);
  }
}
