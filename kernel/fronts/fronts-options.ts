// What the fronts of a server are given by the main thread.
import type { TlsOptions } from 'node:tls';
import type { LocalClock } from '../clock.ts';
import type { FrontsView } from '../health/readiness.ts';
import type { FrontLimits } from '../limits/front-limits.ts';
import type { Log } from '../log/log-entry.ts';
import type { Figures } from '../metrics/totals.ts';
import type { Control } from '../runtime/channel/messages.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { SharedMemory } from '../shared/memory.ts';
import type { Versions } from '../versions.ts';
import type { FrontTask, KernelApi } from './front-task.ts';

export interface FrontsOptions {
  /** What every front gets. */
  readonly task: Omit<FrontTask, 'thread' | 'tls' | 'shared' | 'pulse'>;
  readonly tls: TlsOptions;
  readonly runtime: Runtime;
  readonly shared: SharedMemory;
  readonly limits: FrontLimits;
  readonly clock: LocalClock;
  readonly versions: Versions;
  readonly log: Log;
  readonly kernel: Pick<KernelApi, 'dataKey' | 'unsealed'>;
  /** Takes the spans of the fronts, if anything is traced. */
  readonly onSpans: ((message: Control) => void) | undefined;
  notReady(fronts: FrontsView): Promise<readonly string[]>;
  degraded(fronts: FrontsView): readonly string[];
  /** A further front has opened the ports. */
  onMore(): void;
  /** A front turned no more and is ended. */
  onStuck(thread: number): void;
  /** What the main thread counts. */
  figures(): Promise<Figures>;
  /** The metrics of the process, in the text format of Prometheus. */
  processText(): Promise<string>;
}
