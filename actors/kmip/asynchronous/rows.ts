// Rows of requests that are answered later: one for each item; that of the first item of a batch also holds the job, as long as there is something to do.
import type { DataKey } from '../../../kernel/keys/data-key.ts';
import { deleteInParts, PART } from '../../../kernel/store/parts.ts';
import type { Reader, Store, Transaction } from '../../../kernel/store/store.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import type { KeyServer } from '../server.ts';
import { unknownValue } from './correlation-value.ts';
import { decodeJob, encodeJob, type Job } from './job.ts';
import { CANCELED, decodeResult, encodeResult, LARGE, type Result } from './result.ts';

export const { Submitted, InProcess, Completed } = ENUM.ProcessingStage;

/** Of the sealed job of a batch, and of each result. What is larger is for a synchronous request. */
export const MAX_BYTES = 1_048_576;
/** Of all jobs and results of one owner. */
export const MAX_OWNED_BYTES = 67_108_864;
/** Milliseconds for which a result is kept after it was told, for a client that has lost the answer. */
const TOLD_MS = 300_000;

export interface ItemRow {
  readonly id: string;
  readonly owner: string;
  readonly batch: string;
  readonly operation: number;
  readonly stage: number;
  /** Milliseconds since the epoch. */
  readonly submitted_at: number;
  readonly told_at: number | null;
  readonly generation: number | null;
  readonly result: Uint8Array | null;
}

/** A batch that nobody else runs meanwhile. */
export interface Claim {
  readonly batch: string;
  readonly owner: string;
  readonly runner: string;
}

const COLUMNS = 'id, owner, batch, operation, stage, submitted_at, told_at, generation, result';
const resultUse = (id: string, owner: string) => `gatehouse asynchronous result ${id} of ${owner}`;
const jobUse = (batch: string, owner: string) => `gatehouse asynchronous job ${batch} of ${owner}`;

type Keeping = Pick<KeyServer, 'store' | 'rows' | 'now'>;

/** @returns undefined if there is none, or it is somebody else's */
export function readItem(from: Reader, owner: string, id: string): Promise<ItemRow | undefined> {
  return from.get<ItemRow>(`SELECT ${COLUMNS} FROM kms_asynchronous WHERE id = $1 AND owner = $2`, [id, owner]);
}

/** @throws Refusal InvalidAsynchronousCorrelationValue if there is none, or it is somebody else's */
export async function requireItem(from: Reader, owner: string, id: string): Promise<ItemRow> {
  const row = await readItem(from, owner, id);
  if (!row) throw unknownValue();
  return row;
}

/** @param at milliseconds since the epoch @returns whether its result was never told before */
export async function markTold(tx: Transaction, id: string, at: number): Promise<boolean> {
  return (await tx.run('UPDATE kms_asynchronous SET told_at = $2 WHERE id = $1 AND told_at IS NULL', [id, at])) > 0;
}

/** @returns undefined if the stored bytes were not sealed as the result of this item */
export async function openResult(from: Reader, dataKey: DataKey, { id, owner, generation, result }: ItemRow): Promise<Result | undefined> {
  if (result === null || generation === null) return undefined;
  const plain = await dataKey.unseal(from, resultUse(id, owner), { generation, bytes: result });
  return plain && decodeResult(plain);
}

/** Call it within `retrying` of the data key. @param isChange whether the result tells of a change, which must not be lost @returns whether the item was at that stage */
export async function endItem(tx: Transaction, { rows, now }: Keeping, id: string, stage: number, result: Result, isChange = true): Promise<boolean> {
  const row = await tx.get<{ owner: string; used: number }>(
    `SELECT owner, (SELECT sum(bytes) FROM kms_asynchronous AS other WHERE other.owner = kms_asynchronous.owner) AS used FROM kms_asynchronous
     WHERE id = $1 AND stage = $2`,
    [id, stage],
  );
  if (!row) return false;
  const plain = encodeResult(result);
  const isLarge = plain.length > MAX_BYTES || Number(row.used) + plain.length > MAX_OWNED_BYTES;
  const { generation, bytes } = rows.dataKey.seal(resultUse(id, row.owner), isLarge && !isChange ? encodeResult(LARGE) : plain);
  plain.fill(0);
  const told = result === CANCELED ? now() : null;
  const ended = await tx.run(
    'UPDATE kms_asynchronous SET stage = $3, ended_at = $4, told_at = $5, generation = $6, result = $7, bytes = bytes + $8 WHERE id = $1 AND stage = $2',
    [id, stage, Completed, now(), told, generation, bytes, bytes.length],
  );
  return ended > 0;
}

/** Runs one transaction that may seal. */
export function keep<T>({ store, rows }: Keeping, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return rows.dataKey.retrying(store, () => store.transaction(work));
}

/** @param isAgain whether the caller has tried to begin it before, and perhaps has @returns false if the item is no longer waiting for its turn */
export async function beginItem(store: Store, id: string, isAgain: boolean): Promise<boolean> {
  const sql = 'UPDATE kms_asynchronous SET stage = $2 WHERE id = $1 AND stage IN ($3, $4)';
  return (await store.transaction((tx) => tx.run(sql, [id, InProcess, Submitted, isAgain ? InProcess : Submitted]))) > 0;
}

/** Call it within `retrying` of the data key. */
export function sealJob(dataKey: DataKey, batch: string, job: Job): { readonly generation: number; readonly bytes: Uint8Array } {
  const plain = encodeJob(job);
  try {
    return dataKey.seal(jobUse(batch, job.caller.user), plain);
  } finally {
    plain.fill(0);
  }
}

/** @returns undefined if the stored bytes were not sealed as the job of this batch; null if it has ended meanwhile */
export async function openJob({ store, rows }: Keeping, { batch, owner }: Claim): Promise<Job | undefined | null> {
  const row = await store.get<{ job: Uint8Array | null; job_generation: number | null }>('SELECT job, job_generation FROM kms_asynchronous WHERE id = $1', [
    batch,
  ]);
  if (!row?.job) return null;
  if (row.job_generation === null) return undefined;
  const plain = await rows.dataKey.unseal(store, jobUse(batch, owner), { generation: row.job_generation, bytes: row.job });
  return plain && decodeJob(plain);
}

/** Puts back what is left to do of a batch, for whoever claims it next. */
export async function giveBack(server: Keeping, { batch, runner }: Claim, job: Job): Promise<void> {
  await keep(server, (tx) => {
    const { generation, bytes } = sealJob(server.rows.dataKey, batch, job);
    return tx.run('UPDATE kms_asynchronous SET job = $3, job_generation = $4, runner = NULL, leased_until = NULL WHERE id = $1 AND runner = $2', [
      batch,
      runner,
      bytes,
      generation,
    ]);
  });
}

/** The batch is at its end: what was asked for is kept no longer. */
export async function dropJob(tx: Transaction, batch: string): Promise<void> {
  await tx.run('UPDATE kms_asynchronous SET job = NULL, job_generation = NULL, runner = NULL, leased_until = NULL WHERE id = $1', [batch]);
}

/** Deletes what was kept for its time. @param resultMs for results that nobody has asked for */
export async function purgeResults(store: Store, now: number, resultMs: number): Promise<void> {
  const past = 'job IS NULL AND (ended_at <= $1 OR told_at <= $2)';
  const ends = [now - resultMs, now - Math.min(TOLD_MS, resultMs)];
  if (!(await store.get(`SELECT id FROM kms_asynchronous WHERE ${past} LIMIT 1`, ends))) return;
  await deleteInParts(store, `DELETE FROM kms_asynchronous WHERE id IN (SELECT id FROM kms_asynchronous WHERE ${past} LIMIT ${PART})`, ends);
}
