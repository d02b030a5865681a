// One trace as a collector has it, as a tree: looks for its parts, and holds that each part lies within the one that it is part of.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { CollectedSpan, Collector } from '../fakes/collector.ts';
import { until } from '../runtime.ts';

class CollectedTrace {
  readonly spans: readonly CollectedSpan[];

  constructor(spans: readonly CollectedSpan[]) {
    this.spans = spans;
  }

  /** The one that no other of this server is around. */
  get root(): CollectedSpan {
    const own = new Set(this.spans.map(({ spanId }) => spanId));
    const roots = this.spans.filter(({ parentSpanId }) => !own.has(parentSpanId));
    assert.equal(roots.length, 1, `one beginning: ${roots.map(({ name }) => name)}`);
    return roots[0] as CollectedSpan;
  }

  /** @returns the names from the beginning to the first span whose name matches, which must exist */
  pathTo(name: RegExp): string[] {
    return this.lineOf(this.find(name)).map((span) => span.name);
  }

  find(name: RegExp): CollectedSpan {
    const found = this.spans.find((span) => name.test(span.name));
    assert.ok(found, `no ${name} in\n${this}`);
    return found;
  }

  /** Holds that no time of a part is outside of what it is part of. */
  assertNested(): void {
    for (const span of this.spans) {
      assert.ok(span.start <= span.end, span.name);
      const parent = this.#parentOf(span);
      if (parent) assert.ok(parent.start <= span.start && span.end <= parent.end, `${span.name} is longer than ${parent.name}\n${this}`);
    }
  }

  lineOf(span: CollectedSpan): readonly CollectedSpan[] {
    const parent = this.#parentOf(span);
    return parent ? [...this.lineOf(parent), span] : [span];
  }

  #parentOf({ parentSpanId }: CollectedSpan): CollectedSpan | undefined {
    return this.spans.find(({ spanId }) => spanId === parentSpanId);
  }

  toString(): string {
    const line = (span: CollectedSpan) => `${'  '.repeat(this.lineOf(span).length)}${span.name} ${(span.end - span.start) / 1000n} us`;
    const inOrder = [...this.spans].sort((one, other) => Number(one.start - other.start));
    return inOrder.map(line).join('\n');
  }
}

/** @returns the trace, when its beginning and all that is in `parts` have arrived */
export async function collected(collector: Collector, traceId: string, ...parts: readonly RegExp[]): Promise<CollectedTrace> {
  const spans = () => collector.spans.filter((span) => span.traceId === traceId);
  const isThere = () => spans().some(({ kind }) => kind === 2) && parts.every((part) => spans().some(({ name }) => part.test(name)));
  await until(isThere, `the trace ${traceId} with ${parts}`, 20_000).catch((error: Error) => {
    throw new Error(`${error.message}; it has ${[...new Set(spans().map(({ name }) => name))]}`);
  });
  return new CollectedTrace(spans());
}

/** A trace that a caller has begun, with the headers that say so. @param flags `01`: it is sampled */
export function callerTrace(flags = '01') {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-${flags}`, tracestate: 'vendor=abc' } };
}
