// Builds everything of a server that starts nothing: its actors, the contexts of its plugins, their routes and listeners.
import { resolve } from 'node:path';
import { actorSpecs } from '../catalog/actors.ts';
import { routesOf } from '../catalog/routes.ts';
import type { LocalClock } from '../clock.ts';
import { contextsOf } from '../context.ts';
import type { WholeServer } from '../health/whole-server.ts';
import type { Front } from '../http/front.ts';
import { certificatesIn } from '../http/tls/tls.ts';
import type { Log } from '../log/log-entry.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { FrontView } from '../plugin.ts';
import type { StoreAddress } from '../runtime/channel/incarnation.ts';
import { Runtime } from '../runtime/runtime.ts';
import type { SharedMemory } from '../shared/memory.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { Versions } from '../versions.ts';
import type { Configured } from './configure.ts';
import { type Prepared, settleRows } from './prepare-store.ts';
import type { Served } from './serving.ts';

/** How long a stop waits for each actor. */
const ACTOR_MS = 5_000;

interface Given extends Configured {
  readonly version: string;
  readonly log: Log;
  readonly isCopying?: boolean;
}

export interface RuntimeParts {
  readonly clock: LocalClock;
  readonly metrics: Metrics;
  readonly tracing: Tracing | undefined;
  readonly shared: SharedMemory;
  readonly versions: Versions;
  readonly store: Required<StoreAddress>;
  readonly node: string;
}

export type Built = ReturnType<typeof build>;

/** @param served filled in when the server serves @throws ConfigError for what plugins cannot make of their configuration */
export function build(options: Given, parts: RuntimeParts, served: Served, dataDir: string) {
  const { clock, metrics, shared } = parts;
  const keys: { prepared?: Prepared } = {};
  const runtime = createRuntime(options, parts, () => keys.prepared as Prepared);
  const stopping = new AbortController();
  const front: FrontView = {
    openapi: (format) => (served.front as Front).openapi(format),
    certificateChain: () => certificatesIn(String(served.tls.cert)),
    settings: () => options.settings,
    whole: () => served.whole as WholeServer,
  };
  const about = { dataDir, version: options.version, env: options.kept, signal: stopping.signal };
  const contexts = contextsOf(options, { ...about, runtime, clock, metrics, shared: shared.regions, front });
  const listeners = [...contexts].flatMap(([plugin, ctx]) => plugin.listeners?.(ctx) ?? []);
  return { keys, runtime, stopping, served, contexts, listeners, routes: routesOf(contexts, options.catalog.external) };
}

/** @param prepared called when an actor starts; the store is prepared by then */
function createRuntime({ catalog, sections, log, isCopying, ...given }: Given, parts: RuntimeParts, prepared: () => Prepared): Runtime {
  const { clock, versions, store, node, metrics, tracing, shared } = parts;
  const { config, base, version } = given;
  return new Runtime(actorSpecs(catalog.plugins, sections, config, base, version, resolve(given.dataDir)), {
    ...{ clock, versions, store, node, log },
    shared: shared.regions.threads > 1 ? shared : undefined,
    dataKey: (purpose) => (purpose === 'keys' ? prepared().seal.dataKey() : prepared().keyring.dataKey(purpose)),
    unsealed: () => prepared().seal.unsealed(),
    adopts: (purpose) => prepared().keyring.adopts(purpose),
    adopted: (purposes) =>
      void settleRows(prepared(), purposes, { url: store.url, node, clock }).catch((error: unknown) =>
        log.error({ error: String(error) }, 'that all rows are authenticated could not be recorded; it is tried again at the next start'),
      ),
    stopMs: ACTOR_MS,
    observe: (actor) => metrics.observe(actor),
    onSpans: tracing?.take,
    isCopying: isCopying ?? false,
    isSharing: config.actors.share_threads,
  });
}
