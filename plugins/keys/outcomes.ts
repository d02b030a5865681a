// The counter of operations by outcome, which also tells the trace of a message what was in it.
import type { Metrics } from '../../kernel/metrics.ts';
import { currentSpan } from '../../kernel/tracing/span.ts';

/** More pairs of operation and outcome than the protocol has; any beyond that are counted as other. */
const MAX_PAIRS = 8_192;
/** Items of a message that its trace names. */
const MAX_TOLD = 64;

/** @returns a function that counts outcomes as the actor reports them, such as `Encrypt:Success` */
export function outcomeCounter(metrics: Metrics): (outcomes: readonly string[]) => void {
  const counter = metrics.counter('kmip_operations_total', 'Operations of the key server by outcome: Success or the result reason', ['operation', 'outcome']);
  const children = new Map<string, { inc(): void }>();
  return (outcomes) => {
    currentSpan()?.set({ 'gatehouse.kmip.batch_count': outcomes.length, 'gatehouse.kmip.outcomes': outcomes.slice(0, MAX_TOLD) });
    for (const text of outcomes) {
      let child = children.get(text);
      if (!child) {
        const [operation = '', outcome = ''] = children.size < MAX_PAIRS ? text.split(':') : ['other', 'other'];
        child = counter.labels(operation, outcome);
        if (children.size < MAX_PAIRS) children.set(text, child);
      }
      child.inc();
    }
  };
}
