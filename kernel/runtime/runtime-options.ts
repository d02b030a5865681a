// The options of the runtime: clock, version counters, log, store and data keys.
import type { LocalClock } from '../clock.ts';
import type { DataKeyPurpose } from '../keys/data-key-row.ts';
import type { Log } from '../log/log-entry.ts';
import type { SharedMemory } from '../shared/memory.ts';
import type { Versions } from '../versions.ts';
import type { StoreAddress } from './channel/incarnation.ts';
import type { Control } from './channel/messages.ts';
import type { CallObserver } from './channel/pending.ts';

export interface RuntimeOptions {
  readonly clock: LocalClock;
  readonly versions: Versions;
  readonly log: Log;
  readonly store: StoreAddress;
  readonly node: string;
  /** @returns a data key of the server, which is then moved to the actor @throws Fault KEY_SERVER_SEALED while it cannot be opened */
  dataKey(purpose: DataKeyPurpose): Promise<Uint8Array> | Uint8Array;
  /** Settles when the data keys can be opened. */
  unsealed?(): Promise<void>;
  /** Whether the store may hold rows of this purpose that are not authenticated yet. */
  adopts?(purpose: DataKeyPurpose): boolean;
  /** Actors that start when they are needed, and own the rows of these purposes, have started: all these rows are authenticated. */
  adopted?(purposes: readonly DataKeyPurpose[]): void;
  /** Time limit of the graceful stop of one actor. */
  readonly stopMs: number;
  observe(actor: string): CallObserver;
  /** Takes the spans of actors. Without it nothing is traced. */
  readonly onSpans?: ((message: Control) => void) | undefined;
  /** Memory of the threads that call these actors, if there are others than this one. */
  readonly shared?: SharedMemory | undefined;
  /** Whether actors share threads as their specs allow. Default false: each has a thread of its own. */
  readonly isSharing?: boolean;
  /** Copies what goes to and from parts beside this thread, as if they were in another: for tests. */
  readonly isCopying?: boolean;
}
