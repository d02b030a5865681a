// Process: executes an asynchronous request now, so that the next Poll has its result (KMIP specification 2.1 section 6.1.39).
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import type { Node, Structure } from '../../../kmip/ttlv/node.ts';
import { claimBatch } from '../asynchronous/claim.ts';
import { valueIn } from '../asynchronous/correlation-value.ts';
import { Completed, type ItemRow, readItem, requireItem } from '../asynchronous/rows.ts';
import { runClaimed } from '../asynchronous/run.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

/** Looks at an item that somebody else runs, in milliseconds between two and for how long. */
const LOOK_MS = 100;
const MAX_MS = 30_000;

export const process = {
  name: 'Process',
  members: payloadMembers(['AsynchronousCorrelationValue']),
  isImmediate: true,
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const id = valueIn(request);
  const row = await requireItem(ctx.reader, ctx.caller.user, id);
  // A batch with Undo is one transaction: it would block the writer that it waits for.
  if (ctx.reader !== ctx.server.store) throw new Refusal('FeatureNotSupported', 'Process cannot be undone: send it in a batch without Undo');
  const marked = await ctx.change(({ tx }) => tx.run('UPDATE kms_asynchronous SET processed = 1 WHERE id = $1 AND processed = 0', [id]));
  if (marked === 0) throw new Refusal('DuplicateProcessRequest', 'Process was asked for already: poll the request');
  await runUpTo(ctx, row);
  return [];
}

/** Items before it in its batch are executed too, because they have their order. */
async function runUpTo({ server, caller }: OperationContext, { id, batch }: ItemRow): Promise<void> {
  const end = server.monotonic() + MAX_MS;
  for (;;) {
    if ((await readItem(server.store, caller.user, id))?.stage === Completed) return;
    const claim = await claimBatch(server, batch);
    if (claim) await runClaimed(server, claim, { endsBefore: (at, ids) => !ids.slice(at).includes(id), isStopping: () => false });
    if (claim) continue;
    if (server.monotonic() >= end) throw new Refusal('GeneralFailure', 'the operation takes longer: poll it');
    await new Promise<void>((resolve) => server.asynchronous.clock.setTimeout(resolve, LOOK_MS));
  }
}
