// The labels by which the outcomes of a message are counted, such as `Encrypt:Success`.
import type { Outcome } from './batch.ts';

export const outcomeLabel = ({ item, status, reason, of }: Outcome): string =>
  `${item.operation ?? '?'}:${of ? 'Success' : status === 'OperationFailed' ? (reason ?? status) : status}`;

/** One label for each item, and one for each asynchronous operation whose end is told for the first time. */
export function labelsOf(outcomes: readonly Outcome[]): string[] {
  const labels = outcomes.map(outcomeLabel);
  for (const { isFirst, of, status, reason } of outcomes)
    if (isFirst && of) labels.push(outcomeLabel({ item: of as Outcome['item'], status, ...(reason && { reason }) }));
  return labels;
}
