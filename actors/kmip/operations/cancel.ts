// Cancel: takes back an asynchronous request whose turn has not come, or tells how it has ended (KMIP specification 2.1 section 6.1.5).
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumeration, type Node, type Structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { DROP_CANCELED } from '../asynchronous/claim.ts';
import { valueIn, valueNode } from '../asynchronous/correlation-value.ts';
import { CANCELED } from '../asynchronous/result.ts';
import { Completed, endItem, markTold, openResult, readItem, Submitted } from '../asynchronous/rows.ts';
import type { Operation } from '../operation.ts';
import type { ObjectTransaction, OperationContext } from '../operation-context.ts';

type CancellationResult = keyof typeof ENUM.CancellationResult;

export const cancel = {
  name: 'Cancel',
  members: payloadMembers(['AsynchronousCorrelationValue']),
  isImmediate: true,
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const id = valueIn(request);
  const result = await ctx.change((tx) => cancelWithin(tx, id, ctx));
  return [valueNode(id), enumeration(TAG.CancellationResult, ENUM.CancellationResult[result])];
}

/** What begins at the same moment, or is somebody else's, cannot be canceled. */
async function cancelWithin({ tx }: ObjectTransaction, id: string, { server, caller, now }: OperationContext): Promise<CancellationResult> {
  const row = await readItem(tx, caller.user, id);
  if (!row) return 'Unavailable';
  if (row.stage === Submitted && (await endItem(tx, server, id, Submitted, CANCELED))) {
    await tx.run(DROP_CANCELED, [row.batch]);
    return 'Canceled';
  }
  const ended = row.stage === Submitted ? await readItem(tx, caller.user, id) : row;
  if (ended?.stage !== Completed) return 'UnableToCancel';
  await markTold(tx, id, now * 1_000);
  return howEnded(await openResult(tx, server.rows.dataKey, ended));
}

function howEnded(result: Awaited<ReturnType<typeof openResult>>): CancellationResult {
  if (result?.reason === CANCELED.reason) return 'Canceled';
  return result?.status === 'Success' ? 'Completed' : 'Failed';
}
