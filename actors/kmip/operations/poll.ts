// Poll: tells the result of an asynchronous request, or that it is pending (KMIP specification 2.1 section 6.1.38).
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import { OPERATION_NAMES } from '../../../kmip/message/request.ts';
import type { Structure } from '../../../kmip/ttlv/node.ts';
import { valueBytes, valueIn } from '../asynchronous/correlation-value.ts';
import { UNREADABLE } from '../asynchronous/result.ts';
import { Completed, markTold, openResult, requireItem } from '../asynchronous/rows.ts';
import { type Operation, Relayed } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

export const poll = {
  name: 'Poll',
  members: payloadMembers(['AsynchronousCorrelationValue']),
  isImmediate: true,
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<Relayed> {
  const id = valueIn(request);
  const row = await requireItem(ctx.reader, ctx.caller.user, id);
  if (row.stage !== Completed) return new Relayed({ status: 'OperationPending', correlationValue: valueBytes(id) });
  const result = (await openResult(ctx.reader, ctx.server.rows.dataKey, row)) ?? UNREADABLE;
  // Two that poll at the same time both get the result, and one of them is the first.
  const isFirst = row.told_at === null && (await ctx.change(({ tx }) => markTold(tx, id, ctx.now * 1_000)));
  const of = { operation: OPERATION_NAMES.get(row.operation), code: row.operation };
  return new Relayed({ ...result, of, isFirst });
}
