// A collector of traces on loopback: takes OTLP as JSON over HTTP, as the OpenTelemetry Collector and Jaeger do, and keeps the spans.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Value = string | number | boolean | readonly Value[];

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  /** SPAN_KIND_INTERNAL, _SERVER, _CLIENT: 1, 2, 3. */
  readonly kind: number;
  /** Nanoseconds since the epoch. */
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, Value>>;
  /** STATUS_CODE_ERROR */
  readonly isError: boolean;
}

export interface Collector {
  /** For [tracing] endpoint. */
  readonly endpoint: string;
  readonly spans: CollectedSpan[];
  /** Attributes of the resources that the spans came from. */
  readonly resources: Readonly<Record<string, Value>>[];
  readonly headers: IncomingHttpHeaders[];
  /** Bodies as they came. */
  readonly bodies: string[];
  /** Does something else with requests. */
  misbehave: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  end(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const kept = {
    spans: [] as CollectedSpan[],
    resources: [] as Readonly<Record<string, Value>>[],
    headers: [] as IncomingHttpHeaders[],
    bodies: [] as string[],
  };
  const collector: Omit<Collector, 'endpoint' | 'end'> = { ...kept, misbehave: undefined };
  const server = createServer(async (request, response) => {
    if (collector.misbehave) return collector.misbehave(request, response);
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const body = Buffer.concat(chunks).toString();
    kept.headers.push(request.headers);
    kept.bodies.push(body);
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
      kept.resources.push(attributesOf(resource.attributes));
      for (const { spans } of scopeSpans) kept.spans.push(...spans.map(spanOf));
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"partialSuccess":{}}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(collector, {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    async end() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

interface WireValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values: readonly WireValue[] };
}

type WireAttributes = readonly { readonly key: string; readonly value: WireValue }[];

function attributesOf(attributes: WireAttributes): Record<string, Value> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainOf(value)]));
}

function plainOf({ stringValue, boolValue, intValue, doubleValue, arrayValue }: WireValue): Value {
  if (arrayValue) return arrayValue.values.map(plainOf);
  return stringValue ?? boolValue ?? doubleValue ?? Number(intValue);
}

interface WireSpan extends Pick<CollectedSpan, 'traceId' | 'spanId' | 'name' | 'kind'> {
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: WireAttributes;
  readonly status: { readonly code: number };
}

function spanOf({ startTimeUnixNano, endTimeUnixNano, attributes, status, parentSpanId = '', traceState = '', ...span }: WireSpan): CollectedSpan {
  const times = { start: BigInt(startTimeUnixNano), end: BigInt(endTimeUnixNano) };
  const { traceId, spanId, name, kind } = span;
  return { ...{ traceId, spanId, parentSpanId, traceState, name, kind }, ...times, attributes: attributesOf(attributes), isError: status.code === 2 };
}
