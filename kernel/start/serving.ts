// What serving requests needs, and what is open then.
import type { TlsOptions } from 'node:tls';
import type { LocalClock } from '../clock.ts';
import type { Contexts } from '../context.ts';
import type { Fronts } from '../fronts/fronts.ts';
import type { Load } from '../fronts/growth.ts';
import type { PassedSockets } from '../fronts/passed-sockets.ts';
import type { ClockProbe } from '../health/clock-probe.ts';
import type { WholeServer } from '../health/whole-server.ts';
import type { Front } from '../http/front.ts';
import type { Route } from '../http/route.ts';
import type { TlsWatch } from '../http/tls/tls-watch.ts';
import type { Listener } from '../listener/listener.ts';
import type { Log } from '../log/log-entry.ts';
import type { Metrics, ProcessMetrics } from '../metrics/metrics.ts';
import type { StoreAddress } from '../runtime/channel/incarnation.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { SharedMemory } from '../shared/memory.ts';
import type { StoreProbe } from '../store/store-probe.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { Unwind } from '../unwind.ts';
import type { Versions } from '../versions.ts';
import type { Configured } from './configure.ts';
import type { Drain } from './drain.ts';
import type { Prepared } from './prepare-store.ts';

/** What is in use now. */
export interface Served {
  tls: TlsOptions;
  /** The front of this thread. */
  front?: Front;
  /** Known when this thread opens its ports. */
  whole?: WholeServer;
}

export interface Serving extends Configured {
  readonly contexts: Contexts;
  readonly routes: readonly Route[];
  readonly listeners: readonly Listener[];
  readonly served: Served;
  readonly runtime: Runtime;
  readonly prepared: Prepared;
  readonly probe: StoreProbe;
  readonly clockProbe: ClockProbe;
  readonly tlsWatch: TlsWatch;
  readonly drain: Drain;
  readonly metrics: Metrics;
  readonly processMetrics: ProcessMetrics;
  /** Absent if nothing is traced. */
  readonly tracing: Tracing | undefined;
  readonly clock: LocalClock;
  readonly versions: Versions;
  readonly shared: SharedMemory;
  readonly store: StoreAddress;
  readonly node: string;
  readonly log: Log;
  readonly unwind: Unwind;
  /** Version of gatehouse. */
  readonly version: string;
  readonly builtIn?: URL;
  readonly isCopying?: boolean;
  readonly sockets?: PassedSockets;
  readonly growth?: GivenGrowth;
}

/** For tests: instead of what is measured. */
export interface GivenGrowth {
  readonly cores: number;
  load(): Promise<Load>;
}

export interface Opened {
  /** `https://host:port` */
  readonly address: string;
  /** Addresses by name of the listener. */
  readonly listeners: ReadonlyMap<string, string>;
  readonly fronts: Fronts | undefined;
  /** Every connection ends with its next answer: the server is about to stop. */
  drain(): Promise<void>;
  /** Gives all ports new options. */
  applyTls(tls: TlsOptions): Promise<void>;
}
