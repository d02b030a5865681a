// Runs transactions of a group at the same time, between each other's statements, so that a database in another process is asked once for all of them.
import type { AuditWriter } from './audit.ts';
import { Gathering, type GatheringConnection } from './gathering.ts';
import { type Done, failed, type Job, Touching, transactionOver, Undivided } from './group-job.ts';
import type { Transaction } from './store.ts';

/** What they run over. */
export interface TogetherOver {
  readonly connection: GatheringConnection & { exec: Transaction['exec'] };
  readonly audit: AuditWriter;
  mayRetry(error: unknown): boolean;
}

/** @throws what may be retried, of any of them; Undivided if one fails that has asked for anything: nobody knows whose statement the database refused */
export async function runTogether(jobs: readonly Job[], { connection, audit, mayRetry }: TogetherOver): Promise<Done[]> {
  const gathering = new Gathering(connection);
  const running = jobs.map((job) => begin(job, gathering, connection.exec.bind(connection), audit));
  const outcomes = await Promise.allSettled(running.map(({ done }) => done));
  const refused = outcomes.flatMap((outcome, at) => (outcome.status === 'rejected' && running[at]?.hasAsked() ? [outcome.reason] : []));
  if (refused.length > 0) throw refused.find(mayRetry) ?? new Undivided(refused[0]);
  return outcomes.map((outcome, at) => (outcome.status === 'fulfilled' ? outcome.value : failed(jobs[at] as Job, outcome.reason)));
}

function begin(job: Job, gathering: Gathering, exec: Transaction['exec'], audit: AuditWriter): { readonly done: Promise<Done>; hasAsked(): boolean } {
  let hasAsked = false;
  const asking = <A extends unknown[], T>(ask: (...args: A) => Promise<T>) => {
    return (...args: A) => {
      hasAsked = true;
      return ask(...args);
    };
  };
  const touching = new Touching();
  const tx = transactionOver(
    { run: asking((sql, params) => gathering.run(sql, params)), all: asking((sql, params) => gathering.all(sql, params)) },
    asking(exec),
    { write: asking(audit.write) },
    touching,
  );
  const run = async (): Promise<Done> => {
    const value = await job.work(tx);
    return { touched: touching.touched, settle: () => job.resolve(value) };
  };
  return { done: run(), hasAsked: () => hasAsked };
}
