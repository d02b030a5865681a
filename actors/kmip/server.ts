// What all operations of one thread work with: store, cache, clock, configuration.
import type { Log } from '../../kernel/log-entry.ts';
import type { Store } from '../../kernel/store/store.ts';
import type { KmipArgs } from './api.ts';
import type { ObjectCache } from './object/cache.ts';
import type { ObjectRows } from './object/rows.ts';

export interface KeyServer {
  readonly args: KmipArgs;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  now(): number;
  readonly store: Store;
  readonly rows: ObjectRows;
  readonly cache: ObjectCache;
}
