// Serves requests: in the main thread, or in fronts with threads of their own.
import type { TlsOptions } from 'node:tls';
import type { LocalClock } from './clock.ts';
import type { Configured } from './configure.ts';
import type { Contexts } from './context.ts';
import { frontLimits } from './front-limits.ts';
import { canSharePorts, claimPorts } from './fronts/claim-ports.ts';
import { Fronts } from './fronts/fronts.ts';
import type { Front } from './http/front.ts';
import type { Route } from './http/route.ts';
import type { Listener } from './listener/listener.ts';
import type { Log } from './log-entry.ts';
import type { Metrics, ProcessMetrics } from './metrics.ts';
import { createPorts } from './ports.ts';
import type { Prepared } from './prepare-store.ts';
import { NO_FRONTS, notReady } from './readiness.ts';
import { move } from './runtime/bytes.ts';
import type { StoreAddress } from './runtime/incarnation.ts';
import { cores, type Runtime } from './runtime/runtime.ts';
import { degraded, selfTestsOf } from './self-tests.ts';
import type { SharedMemory } from './shared/memory.ts';
import type { StoreProbe } from './store/store-probe.ts';
import { figuresOf } from './totals.ts';
import type { Unwind } from './unwind.ts';
import type { Versions } from './versions.ts';

/** What is in use now. */
export interface Served {
  tls: TlsOptions;
  /** The front of this thread. */
  front?: Front;
}

interface Serving extends Configured {
  readonly contexts: Contexts;
  readonly routes: readonly Route[];
  readonly listeners: readonly Listener[];
  readonly served: Served;
  readonly runtime: Runtime;
  readonly prepared: Prepared;
  readonly probe: StoreProbe;
  readonly metrics: Metrics;
  readonly processMetrics: ProcessMetrics;
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
}

interface Opened {
  /** `https://host:port` */
  readonly address: string;
  /** Addresses by name of the listener. */
  readonly listeners: ReadonlyMap<string, string>;
  readonly fronts: Fronts | undefined;
  /** Gives all ports new options. */
  applyTls(tls: TlsOptions): Promise<void>;
}

const MAX_FRONTS = 8;
/**
 * The threads of actors need cores too. On two cores, two fronts serve a third more reads than one and a fifth fewer writes, and the server starts in
 * 2.0 s instead of 1.3 and takes 110 MB more.
 */
const CORES_FOR_ONE = 2;

/** @returns how many fronts there are; a single one is in the main thread */
export function frontCount({ config, builtIn, log }: Pick<Serving, 'config' | 'builtIn' | 'log'>): number {
  const { threads } = config.http;
  const count = threads === 0 ? Math.min(Math.max(1, Math.floor(cores / CORES_FOR_ONE)), MAX_FRONTS) : threads;
  if (count === 1 || builtIn === undefined) return 1;
  if (canSharePorts()) return count;
  log.info({ platform: process.platform }, 'one thread serves all requests: threads cannot share a port on this system');
  return 1;
}

/** One front, in this thread: nothing crosses, and no memory is used for another thread. */
export async function serveHere(serving: Serving): Promise<Opened> {
  const { config, listeners, clock, shared, unwind, served, metrics, processMetrics, runtime, prepared, contexts, probe } = serving;
  const keeping = { probe, seal: prepared.seal };
  const limits = frontLimits(config.http, listeners, clock, shared);
  unwind.add('front limits', () => limits.close());
  metrics.watchCalls(() => runtime.groups.values());
  processMetrics.watch(
    runtime,
    () => prepared.seal.isSealed,
    () => [],
  );
  const whole = {
    notReady: () => notReady(runtime, contexts, keeping, NO_FRONTS),
    degraded: async () => degraded(selfTestsOf(runtime, [])),
    scrape: async () => `${await processMetrics.registry.metrics()}\n${await metrics.registry.metrics()}`,
  };
  const ports = await createPorts({ ...serving, tls: served.tls, limits, whole, reusePort: false });
  served.front = ports.front;
  const { address, listeners: opened, applyTls } = await ports.open();
  return {
    address,
    listeners: new Map(opened.map(({ name, address: where }) => [name, where])),
    fronts: undefined,
    async applyTls(tls) {
      applyTls(tls);
      served.tls = tls;
    },
  };
}

/** Fronts in threads of their own; this thread supervises. */
export async function serveInThreads(serving: Serving, count: number): Promise<Opened> {
  const { config, listeners, served, runtime, prepared, metrics, processMetrics, contexts, unwind, clock, versions, shared, log } = serving;
  await claimPorts(config.http, listeners, served.tls);
  // Opened here first, because only this thread makes the memory; it serves nothing itself.
  const limits = frontLimits(config.http, listeners, clock, shared);
  unwind.add('front limits', () => limits.close());
  metrics.watchCalls(() => runtime.groups.values());
  const fronts = new Fronts({
    ...{ count, tls: served.tls, runtime, shared, limits, clock, versions, log },
    task: taskOf(serving),
    kernel: {
      dataKey: async (purpose) => move(await (purpose === 'keys' ? prepared.seal.dataKey() : prepared.keyring.dataKey(purpose))),
      unsealed: () => prepared.seal.unsealed(),
    },
    notReady: (view) => notReady(runtime, contexts, { probe: serving.probe, seal: prepared.seal }, view),
    figures: () => figuresOf(metrics.registry),
    processText: () => processMetrics.registry.metrics(),
  });
  processMetrics.watch(
    runtime,
    () => prepared.seal.isSealed,
    () => fronts.supervisors,
  );
  unwind.add('fronts', () => fronts.stop());
  const { address, listeners: addresses } = await fronts.open();
  return {
    address,
    listeners: addresses,
    fronts,
    async applyTls(tls) {
      await fronts.applyTls(tls);
      served.tls = tls;
    },
  };
}

/** What every front gets. A front reads a database in a file only: the password of another and the root key stay in this thread. */
function taskOf({ config, sections, flags, base, dataDir, version, store, node, builtIn, isCopying = false }: Serving) {
  return {
    ...{ builtIn: (builtIn as URL).href, sections, flags, base, dataDir, version, node, isCopying },
    config: { ...config, store: { url: '', root_key: '' } },
    store: { url: store.url.startsWith('sqlite:') ? store.url : '' },
  };
}
