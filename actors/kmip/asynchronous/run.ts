// Executes the items of a claimed batch in their order, as if they had been sent now by whoever asked for them, and keeps their results.
import { viewAccounts } from '../../../kernel/store/accounts.ts';
import type { BatchItem } from '../../../kmip/message/request.ts';
import type { Principal } from '../api.ts';
import { BatchContext } from '../context.ts';
import { runBatch, runItem } from '../message/batch.ts';
import { isChange } from '../message/response-size.ts';
import type { Batch } from '../operation-context.ts';
import type { KeyServer } from '../server.ts';
import { isLiveTicket } from '../tickets.ts';
import { endBatch, LEASE_MS, renew } from './claim.ts';
import type { Job } from './job.ts';
import { type Persistent, persistent } from './persistent.ts';
import { ENDED_ACCOUNT, ENDED_TICKET, failed, type Result, SKIPPED, UNREADABLE } from './result.ts';
import { beginItem, type Claim, endItem, giveBack, InProcess, keep, openJob } from './rows.ts';

export interface Bounds {
  /** Whether the rest of the batch is put back before the item with this index and correlation value. */
  endsBefore(at: number, ids: readonly string[]): boolean;
  /** Whether the server stops. */
  isStopping(): boolean;
}

/** A claimed batch while it runs. */
interface Running {
  readonly server: KeyServer;
  readonly claim: Claim;
  readonly job: Job;
  readonly bounds: Bounds;
  /** Longer than its lease it is nobody's any more. */
  readonly persist: Persistent;
}

export async function runClaimed(server: KeyServer, claim: Claim, bounds: Bounds): Promise<void> {
  const stopRenewal = renew(server, claim);
  const persist = persistent(server, LEASE_MS, bounds.isStopping);
  try {
    const job = await persist(() => openJob(server, claim));
    if (job === null) return;
    if (!job) {
      server.log.error({ batch: claim.batch }, 'a stored asynchronous request cannot be opened');
      return await persist(() => endBatch(server, claim.batch, UNREADABLE));
    }
    const run = job.onError === 'Undo' ? runWhole : runOneByOne;
    await server.asynchronous.apart(job.requestId, () => run({ server, claim, job, bounds, persist }));
  } finally {
    stopRenewal();
  }
}

/** Ends the batch if who has asked for it may do so no longer. @returns whether it has ended */
async function hasEnded({ server, claim, job: { caller }, persist }: Running): Promise<boolean> {
  const end = await persist(() => endOf(server, caller));
  if (end) await persist(() => endBatch(server, claim.batch, end));
  return end !== undefined;
}

/** @returns what is told if nobody can sign in any more to an account that takes part, or the ticket of its holder has ended */
async function endOf({ store, now }: KeyServer, { user, holder }: Principal): Promise<Result | undefined> {
  const parties = holder ? [user, holder.user] : [user];
  const accounts = await viewAccounts(store, parties);
  if (parties.some((party) => accounts.get(party)?.isEnded === true)) return ENDED_ACCOUNT;
  return holder && !(await isLiveTicket(store, holder.ticket, Math.floor(now() / 1000))) ? ENDED_TICKET : undefined;
}

async function runOneByOne(running: Running): Promise<void> {
  const { server, claim, job, bounds, persist } = running;
  const { items, ids, onError } = job;
  const batch: Batch = { ...job.batch };
  for (const [at, item] of items.entries()) {
    if (bounds.endsBefore(at, ids)) return persist(() => giveBack(server, claim, { ...job, batch, items: items.slice(at), ids: ids.slice(at) }));
    // A batch may take an hour.
    if (await hasEnded(running)) return;
    const status = await runNext(running, item, ids[at] as string, batch);
    if (batch.isOver || (status !== 'Success' && onError === 'Stop')) break;
  }
  await persist(() => endBatch(server, claim.batch, SKIPPED));
}

/** @returns the status of the item; that of a canceled one is a failure */
async function runNext({ server, job, persist }: Running, item: BatchItem, id: string, batch: Batch): Promise<Result['status']> {
  if (!(await persist((isAgain) => beginItem(server.store, id, isAgain)))) return 'OperationFailed';
  // Each item has a context of its own, because it has a time of its own.
  const ctx = await contextOf(server, job, batch);
  try {
    const outcome = await runItem(ctx, item);
    Object.assign(batch, ctx.batch);
    await persist(() => end(server, id, item, outcome));
    return outcome.status;
  } finally {
    ctx.opening.end();
  }
}

async function contextOf(server: KeyServer, { caller, version }: Job, batch: Readonly<Batch>): Promise<BatchContext> {
  const ctx = new BatchContext(server, server.asynchronous.acting(caller), version);
  Object.assign(ctx.batch, batch);
  return ctx;
}

async function end(server: KeyServer, id: string, item: BatchItem, result: Result): Promise<void> {
  await keep(server, (tx) => endItem(tx, server, id, InProcess, result, isChange(item, server.operations)));
}

/** In one transaction: then nothing of it can be canceled any more. */
async function runWhole(running: Running): Promise<void> {
  if (await hasEnded(running)) return;
  const { server, claim, job, persist } = running;
  const { items, ids } = job;
  const begun: boolean[] = [];
  for (const id of ids) begun.push(await persist((isAgain) => beginItem(server.store, id, isAgain)));
  if (begun.includes(false)) {
    const canceled = failed('GeneralFailure', 'an item of the batch was canceled: nothing was done');
    return persist(() => endBatch(server, claim.batch, canceled));
  }
  const ctx = await contextOf(server, job, job.batch);
  try {
    const outcomes = await runBatch(ctx, items, 'Undo');
    for (const [at, outcome] of outcomes.entries()) await persist(() => end(server, ids[at] as string, outcome.item, outcome));
  } finally {
    ctx.opening.end();
  }
  await persist(() => endBatch(server, claim.batch, SKIPPED));
}
