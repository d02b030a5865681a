// Executes the items of a message in order: Continue, Stop or Undo on failure, with the ID placeholder passed from item to item.
import { isLeft } from '../../../kernel/actor.ts';
import { describe, Fault, failureText, isServerFailure } from '../../../kernel/fault.ts';
import { refusalOf } from '../../../kmip/crypto-refusal.ts';
import { checkVersion, downgradePayload, type Templates, upgradePayload } from '../../../kmip/message/legacy.ts';
import { checkMembers } from '../../../kmip/message/payload-members.ts';
import type { BatchItem, ErrorContinuation } from '../../../kmip/message/request.ts';
import type { ItemOutcome } from '../../../kmip/message/response.ts';
import { checkStructures } from '../../../kmip/message/structure-members.ts';
import { checkValues } from '../../../kmip/message/version-values.ts';
import type { OperationName } from '../../../kmip/operation-name.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { auditRefusal } from '../audit-refusal.ts';
import type { BatchContext } from '../context.ts';
import { noteEarlier, shownOf } from '../earlier.ts';
import { isUnanswered } from '../object/hsm-key/unanswered.ts';
import { type Answered, type Operation, Relayed } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { reachOf } from '../rights.ts';
import { Budget } from './budget.ts';
import { resolveNames } from './named.ts';
import { noteIdentifiers } from './placeholder.ts';
import { targetIn } from './target.ts';
import { findTemplates } from './templates.ts';

export interface Outcome extends ItemOutcome {
  /** Set if the server failed, in contrast to a refusal. */
  readonly failure?: Fault;
  /** The result of an asynchronous operation that was never told before. */
  readonly isFirst?: boolean;
}

/** The operations that answer a key, or what was made with one. */
const WITHHELD: ReadonlySet<OperationName> = new Set(['Decrypt', 'Encapsulate', 'Encrypt', 'Export', 'Get', 'MAC', 'Sign']);

/** Thrown inside the transaction of a batch to undo it. */
class Undo extends Error {}

/** A batch whose items stand alone, and what has become of them so far. */
interface Running {
  readonly ctx: BatchContext;
  readonly items: readonly BatchItem[];
  readonly onError: ErrorContinuation;
  readonly outcomes: Outcome[];
  readonly budget: Budget;
}

/** The outcomes are there at once if no item waits for anything, and the thread is not kept for long. */
export function runBatch(ctx: BatchContext, items: readonly BatchItem[], onError: ErrorContinuation): Outcome[] | Promise<Outcome[]> {
  if (items.length > 1) noteEarlier(ctx);
  if (onError === 'Undo') return runUndoable(ctx, items);
  const batch: Running = { ctx, items, onError, outcomes: [], budget: new Budget(ctx.server, false) };
  for (const item of items) {
    const outcome = batch.budget.checkSpent(item) ?? runItem(ctx, item);
    if (outcome instanceof Promise || batch.budget.isTurnOver) return runRest(batch, outcome);
    if (!goesOn(batch, outcome)) break;
  }
  return batch.outcomes;
}

/** @param current the outcome of the item that runs */
async function runRest(batch: Running, current: Outcome | Promise<Outcome>): Promise<Outcome[]> {
  const { ctx, items, outcomes, budget } = batch;
  let outcome = await current;
  while (goesOn(batch, outcome) && outcomes.length < items.length) {
    await budget.turn();
    const item = items[outcomes.length] as BatchItem;
    outcome = budget.checkSpent(item) ?? (await runItem(ctx, item));
  }
  return outcomes;
}

/** Adds an outcome. @returns whether the batch goes on after it */
function goesOn({ ctx, onError, outcomes, budget }: Running, found: Outcome): boolean {
  const outcome = budget.checkSize(found);
  outcomes.push(outcome);
  ctx.opening.keep(budget.answerBytes);
  return isSuccess(outcome) || (onError !== 'Stop' && !ctx.batch.isOver);
}

/** An operation that is pending has not failed. */
const isSuccess = ({ status }: Outcome): boolean => status === 'Success' || status === 'OperationPending';

async function runUndoable(ctx: BatchContext, items: readonly BatchItem[]): Promise<Outcome[]> {
  let outcomes: Outcome[] = [];
  try {
    await ctx.runWhole(ctx.server.store, async () => {
      outcomes = [];
      const budget = new Budget(ctx.server, true);
      for (const item of items) {
        const outcome = budget.checkSpent(item) ?? budget.checkSize(await execute(ctx, item));
        outcomes.push(outcome);
        ctx.opening.keep(budget.answerBytes);
        if (!isSuccess(outcome)) throw new Undo('undo the batch');
      }
    });
  } catch (error) {
    // A commit that fails is reported in the outcome of the last item.
    const at = Math.min(outcomes.length, items.length - 1);
    if (!(error instanceof Undo)) outcomes = [...outcomes.slice(0, at), toFailure(error, items[at] as BatchItem, ctx)];
    const last = await auditOutcome(outcomes.at(-1) as Outcome, ctx);
    outcomes = [...outcomes.slice(0, -1), last];
    outcomes = outcomes.map((outcome) => (outcome === last ? outcome : undone(outcome)));
  }
  return outcomes;
}

/**
 * The response to an item that was undone is returned (section 11.5), as in OASIS case BL-M-2-21. What was made with a key is not: the use that was
 * counted is given back, and so is the mark that a key was given out.
 */
function undone({ payload, ...outcome }: Outcome): Outcome {
  const { operation } = outcome.item;
  const isGiven = operation === undefined || !WITHHELD.has(operation);
  return { ...outcome, status: 'OperationUndone', ...(isGiven && payload && { payload }) };
}

/** Executes a single operation; a failure is returned as its outcome. What is there at once costs no closure here and below: requests are made of little else. */
export function runItem(ctx: BatchContext, item: BatchItem): Outcome | Promise<Outcome> {
  let outcome: Outcome | Promise<Outcome>;
  try {
    outcome = run(ctx, item);
  } catch (error) {
    outcome = toFailure(error, item, ctx);
  }
  if (!(outcome instanceof Promise)) return auditOutcome(outcome, ctx);
  return outcome.then(
    (each) => auditOutcome(each, ctx),
    (error: unknown) => auditOutcome(toFailure(error, item, ctx), ctx),
  );
}

/** Audits a refusal, and a call that an HSM has not answered. If the audit row cannot be written, the outcome is that failure instead. */
function auditOutcome(outcome: Outcome, ctx: BatchContext): Outcome | Promise<Outcome> {
  const { item, reason, failure, of } = outcome;
  // What a Poll tells was audited when it happened.
  if (isSuccess(outcome) || of || (failure && !isUnanswered(failure))) return outcome;
  const target = targetIn(item.payload);
  const call = { event: `key.${item.operation ?? 'unknown'}`, target };
  const row = auditRefusal(ctx.server, ctx.caller, failure ? { ...call, reason: failure.code, isUnknown: true } : { ...call, reason });
  return row.then(() => outcome).catch((error: unknown) => toFailure(error, item, ctx));
}

/** @throws every error that is not a Refusal, because a surrounding transaction may succeed when it runs again */
async function execute(ctx: BatchContext, item: BatchItem): Promise<Outcome> {
  try {
    return await run(ctx, item);
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    return toFailure(refusal, item, ctx);
  }
}

function run(ctx: BatchContext, item: BatchItem): Outcome | Promise<Outcome> {
  const operation = operationOf(item, ctx);
  const { rights } = ctx.caller;
  if (rights) ctx.batch.reach = reachOf(rights, operation.name);
  checkVersion(operation.name, item.payload, ctx.version);
  const templates = findTemplates(item.payload, ctx);
  const members = templates instanceof Promise ? templates.then((found) => operate(ctx, item, operation, found)) : operate(ctx, item, operation, templates);
  return members instanceof Promise ? members.then((answer) => toSuccess(ctx, item, operation, answer)) : toSuccess(ctx, item, operation, members);
}

function operate(ctx: BatchContext, item: BatchItem, operation: Operation, templates: Templates): Answered | Promise<Answered> {
  const given = upgradePayload(operation.name, item.payload, ctx.version, templates);
  checkMembers(operation.name, operation.members, given);
  checkStructures(given.value);
  checkValues(given.value, ctx.version);
  const payload = resolveNames(ctx, given);
  return payload instanceof Promise ? payload.then((resolved) => operation.run(resolved, ctx)) : operation.run(payload, ctx);
}

function toSuccess(ctx: BatchContext, item: BatchItem, operation: Operation, members: Answered): Outcome {
  if (members instanceof Relayed) return { ...members.outcome, item };
  noteIdentifiers(operation, members, ctx.batch);
  ctx.batch.earlier?.push({ operation: operation.name, members });
  return { item, status: 'Success', payload: downgradePayload(operation.name, shownOf(item, members), ctx.version) };
}

/** The boundary to the client: reveals nothing about an internal error; for other faults it says whether to try again. */
function toFailure(error: unknown, item: BatchItem, { server }: OperationContext): Outcome {
  if (isLeft(error)) throw error;
  const outcome = { item, status: 'OperationFailed' } as const;
  const refusal = refusalOf(error);
  if (refusal) return { ...outcome, reason: refusal.reason, message: refusal.message };
  const fault = error instanceof Fault ? error : new Fault('INTERNAL', { cause: error });
  if (!isServerFailure(fault)) return { ...outcome, reason: 'GeneralFailure', message: fault.code };
  if (fault.code === 'INTERNAL') server.log.error({ operation: item.operation, error: describe(error) }, 'an operation failed');
  return { ...outcome, reason: 'GeneralFailure', message: failureText(fault.code), failure: fault };
}

function operationOf({ operation: name, refusal }: BatchItem, { server }: OperationContext): Operation {
  if (refusal) throw refusal;
  const operation = name && server.operations[name];
  if (!operation) throw new Refusal('OperationNotSupported', `${name} is not supported`);
  return operation;
}
