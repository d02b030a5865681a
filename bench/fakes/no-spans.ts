// The module kernel/tracing/span.ts of a server that has no traces at all: what asks for the current step gets none, without looking for one.
import type { SpanAttributes, SpanKind } from '../../kernel/tracing/span.ts';

export type { EndedSpan, Span, SpanAttributes, SpanKind, SpanSink, Trace } from '../../kernel/tracing/span.ts';

export function currentSpan(): undefined {
  return undefined;
}

export function inSpan<T>(_name: string, _kind: SpanKind, _attributes: SpanAttributes, work: (span: undefined) => T): T {
  return work(undefined);
}

export function receivedSpan(): undefined {
  return undefined;
}

export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
