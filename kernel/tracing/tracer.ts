// Begins the trace of a request, or goes on with that of its caller, and decides which traces are exported. Loaded only if tracing is on.
import type { IncomingHttpHeaders } from 'node:http';
import { ROOT_CONTEXT, TraceFlags } from '@opentelemetry/api';
import { parseTraceParent, TraceState } from '@opentelemetry/core';
import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';
import { Span, type SpanAttributes, type SpanSink } from './span.ts';
import { traceIdOf } from './unchosen.ts';

export interface Tracer {
  /** Whether a request is to be traced: nobody needs the steps of one that begins here and is not chosen. It costs less than beginning them. */
  concerns(requestId: string, headers?: IncomingHttpHeaders): boolean;
  /** @param requestId gives a new trace its ID @param headers of the request: `traceparent` and `tracestate` name its parent. A malformed parent is none */
  begin(name: string, attributes: SpanAttributes, requestId: string, headers?: IncomingHttpHeaders): Span;
}

/** @param ratio part of the traces that begin here and are exported; a trace that begins elsewhere is exported if its caller says so */
export function createTracer(ratio: number, sink: SpanSink): Tracer {
  const sampler = new TraceIdRatioBasedSampler(ratio);
  const isChosen = (id: string) => sampler.shouldSample(ROOT_CONTEXT, id).decision === SamplingDecision.RECORD_AND_SAMPLED;
  return {
    concerns: (requestId, headers) => headers?.['traceparent'] !== undefined || isChosen(traceIdOf(requestId)),
    begin(name, attributes, requestId, headers = {}) {
      const parent = parentIn(headers);
      if (!parent) {
        const id = traceIdOf(requestId);
        return new Span({ id, isSampled: isChosen(id), state: '', sink }, undefined, name, 'server', attributes);
      }
      const { traceId: id, spanId, traceFlags } = parent;
      const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
      return new Span({ id, isSampled, state: stateIn(headers), sink }, { id: spanId, isRemote: true }, name, 'server', attributes);
    },
  };
}

/** Node joins fields of the same name with a comma, so that two of them are a malformed one. */
function parentIn({ traceparent }: IncomingHttpHeaders): ReturnType<typeof parseTraceParent> {
  return typeof traceparent === 'string' ? parseTraceParent(traceparent) : null;
}

function stateIn({ tracestate }: IncomingHttpHeaders): string {
  return typeof tracestate === 'string' && tracestate !== '' ? new TraceState(tracestate).serialize() : '';
}
