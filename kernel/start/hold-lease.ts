// Lets this node cache rows that others write: a lease on a shared store, held until the server stops.
import type { KernelConfig } from '../config/sections.ts';
import type { Log } from '../log/log-entry.ts';
import type { StoreAddress } from '../runtime/channel/incarnation.ts';
import { databaseFile } from '../store/store-url.ts';
import type { Unwind } from '../unwind.ts';
import type { Versions } from '../versions.ts';

interface LeaseOptions {
  readonly config: KernelConfig;
  readonly store: Required<StoreAddress>;
  readonly node: string;
  readonly versions: Versions;
  readonly log: Log;
  readonly unwind: Unwind;
}

export async function holdLease({ config, store, node, versions, log, unwind }: LeaseOptions): Promise<void> {
  if (databaseFile(store.url) !== undefined) return;
  // Before anything is cached, also if it will be without a lease.
  versions.trust.share();
  if (!config.store.cache) return;
  const { LeaseLink } = await import('../store/lease-link.ts');
  const lease = new LeaseLink({ ...store, node, versions, log });
  unwind.add('lease', () => lease.close());
  await lease.started();
}
