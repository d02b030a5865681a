// One step of the work on a request: what it is part of, when it began and ended, and what it was. Nothing of OpenTelemetry is needed to make one.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { Fault } from '../fault.ts';

export type SpanKind = 'internal' | 'server' | 'client';
type SpanValue = string | number | boolean | readonly string[];
/** Names as in the semantic conventions of OpenTelemetry; what those do not have begins with `gatehouse.`. Never a value that a client or a row holds. */
export type SpanAttributes = Readonly<Record<string, SpanValue>>;

/** A step that has ended. It is plain data, because it crosses ports. */
export interface EndedSpan {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Undefined for the first step of a trace. */
  readonly parentId: string | undefined;
  /** The parent belongs to the caller of this server. */
  readonly isRemoteParent: boolean;
  /** The header `tracestate`, valid; may be empty. */
  readonly state: string;
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds of the monotonic clock that all threads and processes of the machine share. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: SpanAttributes;
  /** A fault code, an HTTP status or another name of a failure; never a message. */
  readonly error: string | undefined;
}

export type SpanSink = (span: EndedSpan) => void;

/** What all steps of a request have in common. */
export interface Trace {
  readonly id: string;
  /** Of others only the identifiers go on, to the log and to servers that are asked. */
  readonly isSampled: boolean;
  readonly state: string;
  readonly sink: SpanSink;
}

export interface SpanParent {
  readonly id: string;
  readonly isRemote: boolean;
}

/** The current step of this thread. Without a value nothing is traced. */
const current = new AsyncLocalStorage<Span>();

export function currentSpan(): Span | undefined {
  return current.getStore();
}

export class Span {
  readonly trace: Trace;
  readonly id: string;
  name: string;
  readonly #kind: SpanKind;
  readonly #parent: SpanParent | undefined;
  readonly #startMs = monotonicMs();
  #attributes: SpanAttributes;
  #hasEnded = false;

  /** @param id of a step that another thread ends; that end never comes here */
  constructor(trace: Trace, parent: SpanParent | undefined, name: string, kind: SpanKind, attributes: SpanAttributes, id = newSpanId()) {
    this.trace = trace;
    this.id = id;
    this.name = name;
    this.#kind = kind;
    this.#parent = parent;
    this.#attributes = attributes;
  }

  /** @returns a step of this one; this one itself if nobody gets to see them */
  begin(name: string, kind: SpanKind = 'internal', attributes: SpanAttributes = {}): Span {
    return this.trace.isSampled ? new Span(this.trace, { id: this.id, isRemote: false }, name, kind, attributes) : this;
  }

  set(attributes: SpanAttributes): void {
    if (this.trace.isSampled) this.#attributes = { ...this.#attributes, ...attributes };
  }

  /** Only the first end counts. @param error as in an ended span */
  end(error?: string): void {
    const { trace } = this;
    if (!trace.isSampled || this.#hasEnded) return;
    this.#hasEnded = true;
    trace.sink({
      ...{ traceId: trace.id, spanId: this.id, parentId: this.#parent?.id, isRemoteParent: this.#parent?.isRemote ?? false, state: trace.state },
      ...{ name: this.name, kind: this.#kind, startMs: this.#startMs, endMs: monotonicMs(), attributes: this.#attributes, error },
    });
  }

  /** Runs `work` in this step, and leaves its end to the caller. */
  run<T>(work: () => T): T {
    return current.run(this, work);
  }

  /** Runs `work` in this step, and ends it with the work. */
  over<T>(work: (span: Span) => T): T {
    try {
      const value = current.run(this, work, this);
      if (!(value instanceof Promise)) {
        this.end();
        return value;
      }
      return value.then(
        (settled) => {
          this.end();
          return settled;
        },
        (error: unknown) => {
          this.end(failureName(error));
          throw error;
        },
      ) as T;
    } catch (error) {
      this.end(failureName(error));
      throw error;
    }
  }

  /** For another thread of this server, in the same message as the request ID. */
  get wire(): string {
    return `${this.trace.id}-${this.id}-${this.trace.isSampled ? '1' : '0'}${this.trace.state}`;
  }

  /** For a server that is asked on behalf of the request (W3C Trace Context, sections 3.2 and 3.3). */
  get headers(): Readonly<Record<string, string>> {
    const { id, isSampled, state } = this.trace;
    return { traceparent: `00-${id}-${this.id}-${isSampled ? '01' : '00'}`, ...(state !== '' && { tracestate: state }) };
  }
}

/** Runs `work` as a step of the current one; without a current one, and where nobody gets to see the steps, it only runs. */
export function inSpan<T>(name: string, kind: SpanKind, attributes: SpanAttributes, work: (span: Span | undefined) => T): T {
  const parent = current.getStore();
  return parent?.trace.isSampled ? parent.begin(name, kind, attributes).over(work) : work(parent);
}

const WIRE = /^([0-9a-f]{32})-([0-9a-f]{16})-([01])(.*)$/s;

/** @returns the step that a message names, which its sender ends; undefined if it names none */
export function receivedSpan(wire: string, sink: SpanSink): Span | undefined {
  const [, id, spanId, sampled, state = ''] = WIRE.exec(wire) ?? [];
  return id === undefined ? undefined : new Span({ id, isSampled: sampled === '1', state, sink }, undefined, '', 'internal', {}, spanId);
}

/** The code of a fault. Whatever else is thrown is a bug, and may hold anything. */
function failureName(error: unknown): string {
  return error instanceof Fault ? error.code : 'INTERNAL';
}

/** The clock of the machine itself: what each thread makes of it when it starts differs by the time between two readings. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function newSpanId(): string {
  return randomBytes(8).toString('hex');
}
