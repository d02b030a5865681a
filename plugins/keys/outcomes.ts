// The counter of operations by outcome, which also tells the trace of a message what was in it.
import type { Count } from '../../kernel/metrics/counts.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import { currentSpan } from '../../kernel/tracing/span.ts';

/** More pairs of operation and outcome than the protocol has; any beyond that are counted as other. */
const MAX_PAIRS = 8_192;
/** Items of a message that its trace names. */
const MAX_TOLD = 64;

/** @returns a function that counts outcomes as the actor reports them, such as `Encrypt:Success` */
export function outcomeCounter(metrics: Metrics): (outcomes: readonly string[]) => void {
  const counts = metrics.counts('kmip_operations_total', 'Operations of the key server by outcome: Success or the result reason', ['operation', 'outcome']);
  const rows = new Map<string, Count>();
  return (outcomes) => {
    currentSpan()?.set({ 'gatehouse.kmip.batch_count': outcomes.length, 'gatehouse.kmip.outcomes': outcomes.slice(0, MAX_TOLD) });
    for (const text of outcomes) {
      let row = rows.get(text);
      if (!row) {
        const [operation = '', outcome = ''] = rows.size < MAX_PAIRS ? text.split(':') : ['other', 'other'];
        row = counts.row(operation, outcome);
        if (rows.size < MAX_PAIRS) rows.set(text, row);
      }
      row.value += 1;
    }
  };
}
