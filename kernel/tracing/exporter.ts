// Sends the spans of all threads to a collector, by OTLP over HTTP: from a bounded queue, so that a collector that is down or slow costs spans and nothing else.
import { type HrTime, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { ExportResultCode, TraceState } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { Log } from '../log/log-entry.ts';
import { attributesIn, headersIn, type TracingConfig } from '../trace-config.ts';
import { type EndedSpan, monotonicMs, type SpanSink } from './span.ts';

type Outcome = 'exported' | 'failed' | 'dropped';

export interface ExporterOptions {
  readonly config: TracingConfig;
  /** Version of gatehouse. */
  readonly version: string;
  /** Name of this node. */
  readonly node: string;
  readonly log: Log;
  count(outcome: Outcome, spans: number): void;
}

export interface Exporter {
  readonly push: SpanSink;
  /** Counts spans that found no room in another thread. */
  dropped(spans: number): void;
  /** Sends what waits, for a short time. */
  close(): Promise<void>;
}

const MAX_WAITING = 8_192;
const BATCH = 512;
const SEND_MS = 1_000;
const ANSWER_MS = 10_000;
const CLOSE_MS = 2_000;
/** The wall clock may be set, and then spans follow it; a smaller difference would tear the steps of a request apart. */
const CLOCK_MS = 100;

export function openExporter(options: ExporterOptions): Exporter {
  const { count } = options;
  const { send, close } = sender(options);
  let waiting: EndedSpan[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  const sendAll = async () => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH);
      waiting = waiting.slice(BATCH);
      await send(batch);
    }
    sending = undefined;
  };
  const start = () => {
    clearTimeout(timer);
    timer = undefined;
    sending ??= sendAll();
    return sending;
  };
  return {
    push(span) {
      if (waiting.length >= MAX_WAITING) return count('dropped', 1);
      waiting.push(span);
      if (!sending) timer ??= setTimeout(start, SEND_MS).unref();
    },
    dropped: (spans) => count('dropped', spans),
    async close() {
      const late = new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref());
      await Promise.race([start(), late]);
      count('dropped', waiting.length);
      waiting = [];
      close();
    },
  };
}

/** Sends one batch at a time, and logs only when the collector goes away and comes back. */
function sender({ config, version, node, log, count }: ExporterOptions) {
  const to = new OTLPTraceExporter({ url: config.endpoint, headers: { ...headersIn(config) }, timeoutMillis: ANSWER_MS, concurrencyLimit: 1 });
  const toReadable = converter({
    resource: resourceFromAttributes({ 'service.instance.id': node, 'service.version': version, ...attributesIn(config), 'service.name': config.service_name }),
    instrumentationScope: { name: 'gatehouse', version },
  });
  let isFailing = false;
  return {
    async send(batch: readonly EndedSpan[]): Promise<void> {
      const error = await exported(to, batch.map(toReadable));
      const hasFailed = error !== undefined;
      count(hasFailed ? 'failed' : 'exported', batch.length);
      if (hasFailed === isFailing) return;
      isFailing = hasFailed;
      if (hasFailed) log.warn({ error: reasonOf(error) }, 'traces cannot be sent to the collector; they are dropped until it answers again');
      else log.info({}, 'traces are sent to the collector again');
    },
    close: () => void to.shutdown().catch(() => {}),
  };
}

/** @returns the error, if the collector has not taken them */
function exported(to: OTLPTraceExporter, spans: ReadableSpan[]): Promise<unknown> {
  return new Promise((resolve) => {
    to.export(spans, ({ code, error }) => resolve(code === ExportResultCode.SUCCESS ? undefined : (error ?? new Error('it was refused'))));
  });
}

/** What a collector answers may be anything, so only the status or the code of the connection is told. */
function reasonOf(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return String(code ?? name);
}

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;

/** @returns a function that makes of a span what the exporter reads */
function converter(common: Pick<ReadableSpan, 'resource' | 'instrumentationScope'>): (span: EndedSpan) => ReadableSpan {
  let offset = performance.timeOrigin + performance.now() - monotonicMs();
  const timeOf = (ms: number) => timeAt(ms + offset);
  return (span) => {
    const { traceId, spanId, parentId, isRemoteParent: isRemote, state, name, kind, startMs, endMs, attributes, error } = span;
    if (Math.abs(Date.now() - monotonicMs() - offset) > CLOCK_MS) offset = Date.now() - monotonicMs();
    const traceState = state === '' ? {} : { traceState: new TraceState(state) };
    const context = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, ...traceState };
    return {
      ...{ ...common, name, kind: KINDS[kind], spanContext: () => context },
      ...(parentId !== undefined && { parentSpanContext: { traceId, spanId: parentId, traceFlags: TraceFlags.SAMPLED, isRemote } }),
      ...{ startTime: timeOf(startMs), endTime: timeOf(endMs), duration: timeAt(endMs - startMs), ended: true },
      attributes: { ...attributes, ...(error !== undefined && { 'error.type': error }) } as ReadableSpan['attributes'],
      status: error === undefined ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: error },
      ...{ links: [], events: [], droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
    };
  };
}

/** Seconds and nanoseconds. */
function timeAt(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.min(Math.round((ms - seconds * 1_000) * 1e6), 999_999_999)];
}
