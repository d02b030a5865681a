// Executes the items of a message one after the other: Continue, Stop or Undo on failure, and the ID placeholder from one to the next.
import { Fault } from '../../../kernel/fault.ts';
import type { BatchContext } from '../context.ts';
import { OPERATIONS } from '../operations/index.ts';
import type { Operation, OperationContext, OperationName } from '../operations/operation.ts';
import { auditActor } from '../principal.ts';
import { Refusal, type ResultReason } from '../refusal.ts';
import { type Node, TYPE } from '../ttlv/node.ts';
import { Budget } from './budget.ts';
import { checkVersion, downgradePayload, upgradePayload } from './legacy.ts';
import { noteIdentifiers } from './placeholder.ts';
import type { BatchItem } from './request.ts';
import { findTemplates } from './templates.ts';

export interface Outcome {
  readonly item: BatchItem;
  readonly status: 'Success' | 'OperationFailed' | 'OperationUndone';
  readonly reason?: ResultReason;
  readonly message?: string;
  readonly payload?: readonly Node[];
}

export type ErrorContinuation = 'Continue' | 'Stop' | 'Undo';

/** Thrown inside a batch's transaction to undo it. */
class Undo extends Error {}

export async function runBatch(ctx: BatchContext, items: readonly BatchItem[], onError: ErrorContinuation): Promise<Outcome[]> {
  if (onError === 'Undo') return runUndoable(ctx, items);
  const outcomes: Outcome[] = [];
  const budget = new Budget(ctx.server, false);
  for (const item of items) {
    const outcome = budget.spent(item) ?? budget.fitting(await runItem(ctx, item));
    outcomes.push(outcome);
    if (outcome.status !== 'Success' && onError === 'Stop') break;
    await budget.turn();
  }
  return outcomes;
}

async function runUndoable(ctx: BatchContext, items: readonly BatchItem[]): Promise<Outcome[]> {
  let outcomes: Outcome[] = [];
  try {
    await ctx.whole(ctx.server.store, async () => {
      outcomes = [];
      const budget = new Budget(ctx.server, true);
      for (const item of items) {
        const outcome = budget.spent(item) ?? budget.fitting(await execute(ctx, item));
        outcomes.push(outcome);
        if (outcome.status !== 'Success') throw new Undo('undo the batch');
      }
    });
  } catch (error) {
    // The last item is where a commit that fails is told.
    const at = Math.min(outcomes.length, items.length - 1);
    if (!(error instanceof Undo)) outcomes = [...outcomes.slice(0, at), failure(error, items[at] as BatchItem, ctx)];
    const failed = outcomes.at(-1) as Outcome;
    await auditRefusal(ctx, failed);
    outcomes = outcomes.map((outcome) => (outcome === failed ? outcome : { ...outcome, status: 'OperationUndone' }));
  }
  return outcomes;
}

/** One operation, alone; a failure is an outcome like any other. */
export async function runItem(ctx: BatchContext, item: BatchItem): Promise<Outcome> {
  const outcome = await execute(ctx, item).catch((error: unknown) => failure(error, item, ctx));
  if (outcome.status !== 'Success') await auditRefusal(ctx, outcome);
  return outcome;
}

/** @throws what is no Refusal: a transaction around it may succeed when it is run again */
async function execute(ctx: BatchContext, item: BatchItem): Promise<Outcome> {
  try {
    const { name, operation } = operationOf(item);
    checkVersion(name, item.payload, ctx.version);
    const payload = upgradePayload(name, item.payload, ctx.version, await findTemplates(item.payload, ctx));
    const answer = await operation(payload, ctx);
    noteIdentifiers(name, answer, ctx.batch);
    return { item, status: 'Success', payload: downgradePayload(name, answer, ctx.version) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return failure(error, item, ctx);
  }
}

function failure(error: unknown, item: BatchItem, ctx: BatchContext): Outcome {
  return { item, status: 'OperationFailed', ...failureOf(error, item, ctx) };
}

function operationOf({ operation: name, refusal }: BatchItem): { name: OperationName; operation: Operation } {
  if (refusal) throw refusal;
  const operation = name && OPERATIONS[name];
  if (!operation) throw new Refusal('OperationNotSupported', `${name} is not supported`);
  return { name, operation };
}

/** The border to the client: what is no Refusal is a fault of the server, of which nothing is told. */
function failureOf(error: unknown, { operation }: BatchItem, { server }: OperationContext): { reason: ResultReason; message: string } {
  if (error instanceof Refusal) return { reason: error.reason, message: error.message };
  if (error instanceof Fault && error.code !== 'INTERNAL') return { reason: 'GeneralFailure', message: error.code };
  server.log.error({ operation, error: error instanceof Error ? error.stack : String(error) }, 'an operation failed');
  return { reason: 'GeneralFailure', message: 'internal error' };
}

async function auditRefusal({ server, caller }: BatchContext, { item, reason }: Outcome): Promise<void> {
  const target = item.payload.value.find(({ type }) => type === TYPE.TextString)?.value;
  await server.store.transaction((tx) =>
    tx.audit({
      event: `key.${item.operation ?? 'unknown'}`,
      outcome: 'refused',
      ...auditActor(caller),
      reason,
      target: typeof target === 'string' ? target.slice(0, 128) : undefined,
    }),
  );
}
