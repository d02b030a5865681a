// Opens a store by its URL, for one thread.
import { randomUUID } from 'node:crypto';
import type { Clock, Timer } from '../clock.ts';
import { createVersions, type Versions } from '../versions.ts';
import { type AuditWriter, createAuditWriter } from './audit.ts';
import type { Store } from './store.ts';
import { databaseFile } from './store-url.ts';

/** Refusals without a row are summed up after this time. */
const SUM_MS = 60_000;

interface OpenOptions {
  readonly writer: string;
  readonly clock: Clock;
  readonly cache?: CacheOptions | undefined;
}

/** What the caches of this process need to know of changes. */
export interface CacheOptions {
  /** Shared by all threads of the process. Without it nothing that they cache is invalidated. */
  readonly versions: Versions;
  /** Names this process in its changes, on a store that other nodes write. */
  readonly origin: string;
  readonly node: string;
}

/**
 * @param url `sqlite:<absolute path>` or `postgres://...`
 * @param options.writer name of the thread's audit stream, unique among all threads of all nodes
 * @param options.cache without it other threads of this process poll for their turns at writing
 */
export async function openStore(url: string, options: OpenOptions): Promise<Store> {
  const sums: { later?: () => void } = {};
  const audit = createAuditWriter(options.writer, options.clock, () => sums.later?.());
  const store = await openDatabase(url, audit, options);
  return withSums(store, audit, options.clock, sums);
}

async function openDatabase(url: string, audit: AuditWriter, { cache = alone() }: OpenOptions): Promise<Store> {
  const file = databaseFile(url);
  if (file !== undefined) {
    const { openSqlite } = await import('./sqlite.ts');
    return openSqlite(file, audit, cache.versions);
  }
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(url, audit, cache);
}

/** A process that has no caches still waits for the nodes that have some. */
const alone = (): CacheOptions => ({ versions: createVersions(), origin: randomUUID(), node: '' });

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
