// Who runs a batch: the thread that has claimed it, as long as it renews its lease.
import { randomUUID } from 'node:crypto';
import { repeat } from '../../../kernel/repeat.ts';
import type { KeyServer } from '../server.ts';
import { type Result, STOPPED_BEFORE, STOPPED_WITHIN, TOO_OLD } from './result.ts';
import { type Claim, Completed, dropJob, endItem, InProcess, keep, Submitted } from './rows.ts';

/** After this time without a renewal, whoever ran a batch is gone: milliseconds. */
export const LEASE_MS = 60_000;
const RENEWAL_MS = 15_000;

const FREE = 'job IS NOT NULL AND runner IS NULL';

/** @returns undefined if somebody else has it, or it has ended */
export async function claimBatch({ store, now }: KeyServer, batch: string): Promise<Claim | undefined> {
  const runner = randomUUID();
  const claimed = await store.transaction(async (tx) => {
    const taken = await tx.run(`UPDATE kms_asynchronous SET runner = $2, leased_until = $3 WHERE id = $1 AND ${FREE}`, [batch, runner, now() + LEASE_MS]);
    return taken === 0 ? undefined : tx.get<{ owner: string }>('SELECT owner FROM kms_asynchronous WHERE id = $1', [batch]);
  });
  return claimed && { batch, owner: claimed.owner, runner };
}

/** Claims the batch that has waited longest. @param last the owner of the batch before it: others come first, so that nobody's many requests keep another waiting */
export async function claimNext(server: KeyServer, last: string): Promise<Claim | undefined> {
  for (;;) {
    const sql = `SELECT batch FROM kms_asynchronous WHERE ${FREE} ORDER BY CASE WHEN owner = $1 THEN 1 ELSE 0 END, submitted_at, batch LIMIT 1`;
    const next = await server.store.get<{ batch: string }>(sql, [last]);
    if (!next) return undefined;
    const claim = await claimBatch(server, next.batch);
    if (claim) return claim;
  }
}

/** Keeps the claim. @returns a function that ends that */
export function renew({ store, now, log, asynchronous: { clock } }: KeyServer, { batch, runner }: Claim): () => void {
  const sql = 'UPDATE kms_asynchronous SET leased_until = $3 WHERE id = $1 AND runner = $2';
  const again = () => store.transaction((tx) => tx.run(sql, [batch, runner, now() + LEASE_MS]));
  return repeat(clock, RENEWAL_MS, again, (error) => log.warn({ error: String(error) }, 'cannot renew the lease of an asynchronous request'));
}

/** Ends every item of a batch that has not ended. */
export function endBatch(server: KeyServer, batch: string, before: Result, within: Result = before): Promise<void> {
  return keep(server, async (tx) => {
    const items = await tx.all<{ id: string; stage: number }>('SELECT id, stage FROM kms_asynchronous WHERE batch = $1 AND stage <> $2 ORDER BY position', [
      batch,
      Completed,
    ]);
    for (const { id, stage } of items) await endItem(tx, server, id, stage, stage === InProcess ? within : before);
    await dropJob(tx, batch);
  });
}

/** Ends the batches of runners that are gone, and those that nobody has come to in time. */
export async function endLost(server: KeyServer): Promise<void> {
  const { store, asynchronous } = server;
  const lost = await store.all<{ batch: string }>('SELECT batch FROM kms_asynchronous WHERE job IS NOT NULL AND leased_until <= $1', [server.now()]);
  for (const { batch } of lost) await endBatch(server, batch, STOPPED_BEFORE, STOPPED_WITHIN);
  const eldest = server.now() - asynchronous.limits.resultSeconds * 1_000;
  const old = await store.all<{ batch: string }>(`SELECT batch FROM kms_asynchronous WHERE ${FREE} AND submitted_at <= $1`, [eldest]);
  for (const { batch } of old) {
    const claim = await claimBatch(server, batch);
    if (claim) await endBatch(server, batch, TOO_OLD);
  }
}

/** What nobody runs and nobody waits for any more needs no job. */
export const DROP_CANCELED = `UPDATE kms_asynchronous SET job = NULL, job_generation = NULL WHERE id = $1 AND runner IS NULL
  AND NOT EXISTS (SELECT 1 FROM kms_asynchronous AS item WHERE item.batch = $1 AND item.stage = ${Submitted})`;
