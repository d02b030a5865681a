// Opens a store by its URL, for one thread.
import type { Clock, Timer } from '../clock.ts';
import { type AuditWriter, createAuditWriter } from './audit.ts';
import type { Store } from './store.ts';

/** Refusals without a row are summed up after this time. */
const SUM_MS = 60_000;

interface OpenOptions {
  readonly writer: string;
  readonly clock: Clock;
  readonly turns?: Int32Array | undefined;
}

/**
 * @param url `sqlite:<absolute path>` or `postgres://...`
 * @param options.writer name of the thread's audit stream, unique among all threads of all nodes
 * @param options.turns element of shared memory by which the threads of a process take turns at writing; without it they poll
 */
export async function openStore(url: string, options: OpenOptions): Promise<Store> {
  const sums: { later?: () => void } = {};
  const audit = createAuditWriter(options.writer, options.clock, () => sums.later?.());
  const store = await openDatabase(url, audit, options);
  return withSums(store, audit, options.clock, sums);
}

async function openDatabase(url: string, audit: AuditWriter, { turns }: OpenOptions): Promise<Store> {
  if (url.startsWith('sqlite:')) {
    const { openSqlite } = await import('./sqlite.ts');
    return openSqlite(url.slice('sqlite:'.length), audit, turns);
  }
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(url, audit);
}

/** Writes the sum of refusals without a row, a minute after the first of them and before the store is closed. */
function withSums(store: Store, audit: AuditWriter, clock: Clock, sums: { later?: () => void }): Store {
  let timer: Timer | undefined;
  // If the sum cannot be written, it stays and is tried again later.
  const write = () => store.transaction((tx) => audit.writeSum(tx)).catch(() => audit.hasSum && sums.later?.());
  sums.later = () => {
    timer ??= clock.setTimeout(() => {
      timer = undefined;
      void write();
    }, SUM_MS);
  };
  return {
    ...store,
    async close() {
      delete sums.later;
      if (timer) clock.clearTimeout(timer);
      if (audit.hasSum) await write();
      await store.close();
    },
  };
}
