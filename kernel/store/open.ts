// Opens the store that an address names, for one thread.
import type { Clock } from '../clock.ts';
import { createAuditWriter } from './audit.ts';
import type { Store } from './store.ts';

interface OpenOptions {
  readonly writer: string;
  readonly clock: Clock;
  readonly turns?: Int32Array | undefined;
}

/**
 * @param url `sqlite:<absolute path>` or `postgres://...`
 * @param options.writer name of the thread's audit stream, unique among all threads of all nodes
 * @param options.turns element of shared memory by which the threads of a process take turns at writing; without it they find out by trying
 */
export async function openStore(url: string, options: OpenOptions): Promise<Store> {
  const audit = createAuditWriter(options.writer, () => options.clock.now());
  if (url.startsWith('sqlite:')) {
    const { openSqlite } = await import('./sqlite.ts');
    return openSqlite(url.slice('sqlite:'.length), audit, options.turns);
  }
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(url, audit);
}
