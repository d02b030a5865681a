// Runs a message whose client accepts asynchronous responses: its first items at once, and those from the first one that takes long later.
import type { BatchItem, RequestHeader } from '../../../kmip/message/request.ts';
import { type ResponseHead, responseMessage } from '../../../kmip/message/response.ts';
import { binarySize } from '../../../kmip/ttlv/binary.ts';
import type { BatchContext } from '../context.ts';
import { noteEarlier } from '../earlier.ts';
import { type Outcome, runBatch } from '../message/batch.ts';
import { tooLarge } from '../message/response-size.ts';
import { firstLater } from './choice.ts';
import { newValues } from './correlation-value.ts';
import { pending, submit } from './submit.ts';

/** @throws Refusal InvalidMessage; what is thrown by a thread that runs nothing later */
export function runLater(ctx: BatchContext, items: readonly BatchItem[], header: RequestHeader, head: ResponseHead): Outcome[] | Promise<Outcome[]> {
  const { onError, asynchronous, maximumResponseSize = Number.POSITIVE_INFINITY } = header;
  const at = firstLater(asynchronous, items, onError, ctx.server.operations);
  if (at === items.length) return runBatch(ctx, items, onError);
  ctx.server.asynchronous.requireHere();
  const ids = newValues(items.length - at);
  // Without room for the correlation values nobody could ask for the results.
  const shortest = items.map((item, index) => (index < at ? tooLarge(item, maximumResponseSize) : pending(item, ids[index - at] as string)));
  if (binarySize(responseMessage(head, shortest)) > maximumResponseSize)
    return items.map((item) => tooLarge(item, maximumResponseSize, '; nothing was started'));
  return runInTwo(ctx, items, header, at, ids);
}

async function runInTwo(ctx: BatchContext, items: readonly BatchItem[], { onError }: RequestHeader, at: number, ids: readonly string[]): Promise<Outcome[]> {
  noteEarlier(ctx);
  const first = at === 0 ? [] : await runBatch(ctx, items.slice(0, at), onError);
  if (ctx.batch.isOver || (onError === 'Stop' && first.some(({ status }) => status === 'OperationFailed'))) return first;
  return [...first, ...(await submit(ctx, items.slice(at), onError, ids))];
}
