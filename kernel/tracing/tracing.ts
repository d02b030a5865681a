// Tracing in the main thread: exports what all threads have traced, and begins traces where this thread serves requests.
import type { Log } from '../log/log-entry.ts';
import type { ProcessMetrics } from '../metrics/metrics.ts';
import type { Control } from '../runtime/channel/messages.ts';
import type { TracingConfig } from '../trace-config.ts';
import type { Unwind } from '../unwind.ts';
import { readCount, readSpans } from './received-spans.ts';
import type { SpanSink } from './span.ts';
import type { Tracer } from './tracer.ts';

export interface Tracing {
  readonly tracer: Tracer;
  /** Takes the spans that another thread or a process has sent. */
  take(message: Control): void;
}

interface TracingOptions {
  readonly config: { readonly tracing: TracingConfig };
  readonly version: string;
  readonly node: string;
  readonly log: Log;
  readonly unwind: Unwind;
  readonly traceSpans: ProcessMetrics['traceSpans'];
}

/** @returns undefined if [tracing] has no endpoint: then nothing of it is loaded */
export async function openTracing({ config, traceSpans, unwind, ...about }: TracingOptions): Promise<Tracing | undefined> {
  const { tracing } = config;
  if (tracing.endpoint === '') return undefined;
  const { openExporter } = await import('./exporter.ts');
  const { push, dropped, close } = openExporter({ ...about, config: tracing, count: (outcome, spans) => traceSpans.inc({ outcome }, spans) });
  // Closed after everything that is traced.
  unwind.add('traces', close);
  return {
    tracer: (await openTracer(tracing, push)) as Tracer,
    take({ spans, dropped: count }) {
      for (const span of readSpans(spans)) push(span);
      const lost = readCount(count);
      if (lost > 0) dropped(lost);
    },
  };
}

/** @returns undefined if nothing is traced */
export async function openTracer({ endpoint, sample_ratio: ratio }: TracingConfig, sink: SpanSink): Promise<Tracer | undefined> {
  if (endpoint === '') return undefined;
  const { createTracer } = await import('./tracer.ts');
  return createTracer(ratio, sink);
}
