// Takes in the items of a message that are answered later: each is pending from now on, and has its correlation value.
import type { Transaction } from '../../../kernel/store/store.ts';
import type { BatchItem, ErrorContinuation } from '../../../kmip/message/request.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { auditRefusal } from '../audit-refusal.ts';
import type { BatchContext } from '../context.ts';
import type { Outcome } from '../message/batch.ts';
import { targetIn } from '../message/target.ts';
import { valueBytes } from './correlation-value.ts';
import { encodeJob, type Job } from './job.ts';
import { MAX_BYTES, MAX_OWNED_BYTES, Submitted, sealJob } from './rows.ts';

/** Submissions of all threads and nodes come one after the other: of two, the second counts the first. */
const LOCK = 'gatehouse asynchronous requests';

export const pending = (item: BatchItem, id: string): Outcome => ({
  item,
  status: 'OperationPending',
  correlationValue: valueBytes(id),
});

/** @param ids of newValues @returns the pending items, or the refusal of those that there is no room for */
export async function submit(ctx: BatchContext, items: readonly BatchItem[], onError: ErrorContinuation, ids: readonly string[]): Promise<Outcome[]> {
  const { server, caller, version, batch } = ctx;
  const job: Job = { caller, requestId: server.requestId(), version, onError, items, ids, batch };
  try {
    requireSmall(job);
    const transaction = () => server.store.transaction((tx) => insert(tx, ctx, job), { lock: LOCK });
    await server.rows.dataKey.retrying(server.store, transaction);
    return items.map((item, at) => pending(item, ids[at] as string));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { reason, message } = error;
    await auditRefusal(server, caller, { event: `key.${items[0]?.operation ?? 'unknown'}`, reason, target: items[0] && targetIn(items[0].payload) });
    const refused = items.map((item): Outcome => ({ item, status: 'OperationFailed', reason, message }));
    return onError === 'Continue' ? refused : refused.slice(0, 1);
  }
}

function requireSmall(job: Job): void {
  const plain = encodeJob(job);
  const { length } = plain;
  plain.fill(0);
  if (length > MAX_BYTES) throw tooMuch(`asynchronous requests have at most ${MAX_BYTES} bytes: send it without AsynchronousIndicator, or in parts`);
}

async function insert(tx: Transaction, { server, caller: { user } }: BatchContext, job: Job): Promise<void> {
  const { generation, bytes } = sealJob(server.rows.dataKey, job.ids[0] as string, job);
  await requireRoom(tx, server.asynchronous.limits, user, job.ids.length, bytes.length);
  const sql = `INSERT INTO kms_asynchronous (id, owner, batch, position, operation, stage, submitted_at, bytes, job_generation, job)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
  for (const [at, id] of job.ids.entries()) {
    const held = at === 0 ? ([bytes.length, generation, bytes] as const) : ([0, null, null] as const);
    await tx.run(sql, [id, user, job.ids[0] as string, at, job.items[at]?.code as number, Submitted, server.now(), ...held]);
  }
}

/** Results that were told make room first. @throws Refusal ServerLimitExceeded */
async function requireRoom(
  tx: Transaction,
  limits: BatchContext['server']['asynchronous']['limits'],
  owner: string,
  items: number,
  bytes: number,
): Promise<void> {
  const count = async () => {
    const own = await tx.get<{ n: number; used: number | null }>('SELECT count(*) AS n, sum(bytes) AS used FROM kms_asynchronous WHERE owner = $1', [owner]);
    return { n: Number(own?.n ?? 0) + items, used: Number(own?.used ?? 0) + bytes };
  };
  const isFull = ({ n, used }: { n: number; used: number }) => n > limits.requestsPerIdentity || used > MAX_OWNED_BYTES;
  if (isFull(await count())) {
    await tx.run('DELETE FROM kms_asynchronous WHERE owner = $1 AND told_at IS NOT NULL AND job IS NULL', [owner]);
    if (isFull(await count()))
      throw tooMuch(
        `at most ${limits.requestsPerIdentity} asynchronous requests of a caller are kept, with ${MAX_OWNED_BYTES} bytes: poll the earlier ones first`,
      );
  }
  const all = await tx.get<{ n: number }>('SELECT count(*) AS n FROM kms_asynchronous', []);
  if (Number(all?.n ?? 0) + items > limits.requests) throw tooMuch('too many asynchronous requests wait on the server: try again later');
}

const tooMuch = (message: string): Refusal => new Refusal('ServerLimitExceeded', message);
