// The counter of operations by how they ended.
import type { Metrics } from '../../kernel/metrics.ts';

/** More pairs of names than the protocol has: what comes beyond is counted as other. */
const MOST_PAIRS = 8_192;

/** @returns what counts `Encrypt:Success`, as the actor tells it */
export function outcomeCounter(metrics: Metrics): (outcomes: readonly string[]) => void {
  const counter = metrics.counter('kmip_operations_total', 'Operations of the key server by how they ended: Success or the reason of the result', [
    'operation',
    'outcome',
  ]);
  const children = new Map<string, { inc(): void }>();
  return (outcomes) => {
    for (const text of outcomes) {
      let child = children.get(text);
      if (!child) {
        const [operation = '', outcome = ''] = children.size < MOST_PAIRS ? text.split(':') : ['other', 'other'];
        child = counter.labels(operation, outcome);
        if (children.size < MOST_PAIRS) children.set(text, child);
      }
      child.inc();
    }
  };
}
