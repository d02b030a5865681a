// The trace of a request that begins here and is not chosen: nobody makes a step of it. Its ID, that of the request, goes to the log and to servers that are asked.
import { randomBytes } from 'node:crypto';
import { callContext } from '../call-context.ts';
import { currentSpan } from './span.ts';

/** @param requestId a UUID: as many random bits as a trace ID needs (W3C Trace Context Level 2, section 4.2). @returns 32 hexadecimal digits */
export function traceIdOf(requestId: string): string {
  return requestId.replaceAll('-', '');
}

function unchosenTraceId(): string | undefined {
  const call = callContext.getStore();
  return call?.isTraced && call.requestId !== undefined ? traceIdOf(call.requestId) : undefined;
}

/** @returns of the trace that the current work is part of, whether it is sent or not; undefined where nothing is traced */
export function currentTraceId(): string | undefined {
  return currentSpan()?.trace.id ?? unchosenTraceId();
}

/** @returns the header that keeps another server from sending its part of a trace that is not chosen (W3C Trace Context, section 3.2); undefined where nothing is traced */
export function unchosenHeaders(): Readonly<Record<string, string>> | undefined {
  const id = unchosenTraceId();
  return id === undefined ? undefined : { traceparent: `00-${id}-${randomBytes(8).toString('hex')}-00` };
}
