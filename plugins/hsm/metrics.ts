// Metrics of HSM instances: operations by outcome and their time, asked of each instance at every scrape.
import { Counter } from 'prom-client';
import type { HsmApi, OperationFigures } from '../../actors/hsm/api.ts';
import type { PinnedRef } from '../../kernel/actor.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import { callWith } from '../../kernel/runtime/mailbox/remote.ts';

/** An instance that does not answer within this time, in milliseconds, keeps its last figures: no scrape waits for an HSM that hangs. */
const ANSWER_MS = 500;

export function exposeInstances({ registry }: Metrics, instances: PinnedRef<HsmApi>): void {
  const last = new Map<string, readonly OperationFigures[]>();
  const ask = async (prefix: string): Promise<void> => {
    try {
      last.set(prefix, await callWith(instances.at(prefix), { deadlineMs: ANSWER_MS }).figures());
    } catch {
      // Its status says why.
    }
  };
  let asking: Promise<unknown> | undefined;
  /** Both metrics are of one answer. */
  const refresh = () => {
    asking ??= Promise.all(instances.keys().map(ask)).finally(() => {
      asking = undefined;
    });
    return asking;
  };
  const labelNames = ['instance', 'operation', 'outcome'] as const;
  const counter = (name: string, help: string, value: (each: OperationFigures) => number) =>
    new Counter({
      name: `gatehouse_${name}`,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        await refresh();
        this.reset();
        for (const [instance, figures] of last)
          for (const each of figures) this.inc({ instance, operation: each.operation, outcome: each.outcome }, value(each));
      },
    });
  counter('hsm_operations_total', 'Operations of HSMs by outcome: CKR_OK, the return value of the token, or why it was not called', ({ count }) => count);
  counter('hsm_operation_seconds_total', 'Time that operations of HSMs took', ({ seconds }) => seconds);
}
