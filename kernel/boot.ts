// Starts the server step by step: configuration, plugins, store, actors, HTTP front. If a step fails, the earlier steps are undone.
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { DestinationStream } from 'pino';
import { actorSpecs } from './catalog/actors.ts';
import { routesOf } from './catalog/routes.ts';
import { createClock, type LocalClock } from './clock.ts';
import { ClockProbe } from './clock-probe.ts';
import { type Configured, type ConfigureOptions, configure } from './configure.ts';
import { contextsOf } from './context.ts';
import { openDataDir } from './data-dir.ts';
import { Drain } from './drain.ts';
import { frontPlan } from './front-plan.ts';
import type { Fronts } from './fronts/fronts.ts';
import { holdLease } from './hold-lease.ts';
import { compileChecks } from './http/checks.ts';
import type { Front } from './http/front.ts';
import { certificatesIn, readTls, tlsFiles, watchTls } from './http/tls.ts';
import { keyEncryptionKeysOf } from './key-server-key.ts';
import { createLog } from './log.ts';
import type { Log } from './log-entry.ts';
import { createMetrics, createProcessMetrics, type Metrics } from './metrics.ts';
import type { PassedSockets } from './passed-sockets.ts';
import type { FrontView } from './plugin.ts';
import { nodeName, type Prepared, prepareStore, settleRows } from './prepare-store.ts';
import { collectLargeBytes, IN_FRONT } from './runtime/collect.ts';
import type { StoreAddress } from './runtime/incarnation.ts';
import { Runtime } from './runtime/runtime.ts';
import { serve } from './serve.ts';
import type { GivenGrowth, Served } from './serving.ts';
import { newSharedMemory, type SharedMemory } from './shared/memory.ts';
import { startOf } from './start-failure.ts';
import { StoreProbe } from './store/store-probe.ts';
import { openableStoreUrl } from './store/store-url.ts';
import { openTracing, type Tracing } from './tracing/tracing.ts';
import { Unwind } from './unwind.ts';
import { createVersions, type Versions } from './versions.ts';
import type { WholeServer } from './whole-server.ts';

interface BootOptions extends ConfigureOptions {
  readonly version: string;
  /** Module that exports `plugins` as BUILT_IN. Without it there is one front, in this thread: a thread cannot get the plugins themselves. */
  readonly builtIn?: URL;
  /** For tests that move the clock. */
  readonly clock?: LocalClock;
  /** Parts of actors beside the front get copies, as other threads would: tests notice what both sides hold. */
  readonly isCopying?: boolean;
  /** For tests: output of the log instead of standard output. */
  readonly logTo?: DestinationStream;
  /** Open sockets to listen on, instead of ports that the server opens. */
  readonly sockets?: PassedSockets;
  /** For tests: how busy the server is, and on how many cores. */
  readonly growth?: GivenGrowth;
}

export interface Server {
  /** `https://host:port` */
  readonly address: string;
  readonly dataDir: string;
  readonly runtime: Runtime;
  /** The fronts, if they are in threads of their own. */
  readonly fronts: Fronts | undefined;
  /** Whether a thread serves requests: the main thread, or another that runs. */
  isServing(): boolean;
  /** Texts for the operator, printed with the start message. */
  readonly announcements: readonly string[];
  readonly log: Log;
  /** Waits for running work and stops everything. Settles when all has stopped. */
  stop(): Promise<void>;
}

/** How long a stop waits for each actor. */
const ACTOR_MS = 5_000;

/** @throws ConfigError for problems that the operator can fix, Error for anything else; then nothing keeps running */
export async function boot(options: BootOptions): Promise<Server> {
  const configured = await configure(options);
  const log = createLog(configured.config.log.level, options.logTo);
  for (const warning of configured.warnings) log.warn({ warning }, 'configuration');
  const unwind = new Unwind();
  try {
    return await start({ ...options, ...configured, log, unwind });
  } catch (error) {
    await unwind.run(log);
    throw error;
  }
}

interface Start extends BootOptions, Configured {
  readonly log: Log;
  readonly unwind: Unwind;
}

async function start(options: Start): Promise<Server> {
  const { log, unwind } = options;
  const clock = options.clock ?? createClock();
  const dataDir = openDataDir(options.dataDir, (warning) => log.warn({ warning }, 'data folder'));
  unwind.add('data folder', () => dataDir.release());
  const files = await tlsFiles(options.config.http, options.base, dataDir.path, clock.now());
  const plan = frontPlan(options);
  const shared = newSharedMemory(plan.first === 1 ? plan.most : plan.most + 1);
  unwind.add('shared memory', () => shared.bell.close());
  const store = { url: openableStoreUrl(options.config.store.url, dataDir.path), origin: randomUUID() };
  const node = nodeName(dataDir.path);
  const processMetrics = createProcessMetrics();
  const tracing = await openTracing({ ...options, node, ...processMetrics });
  const parts = { clock, metrics: createMetrics(), tracing, shared, versions: createVersions(), store, node };
  const built = build(options, parts, { tls: readTls(files) }, dataDir.path);
  const { announcements, prepared } = await startParts(options, parts, built, dataDir.path, plan.first === 1);
  const probe = new StoreProbe(store.url, clock);
  unwind.add('probe of the store', () => probe.close());
  const clockProbe = new ClockProbe(clock, log);
  unwind.add('probe of the clock', () => clockProbe.close());
  const drain = new Drain(options.config.http.drain_seconds * 1_000, clock);
  const serving = { ...options, ...parts, ...built, prepared, probe, clockProbe, drain, dataDir: dataDir.path, processMetrics };
  const opened = await serve(serving, plan);
  unwind.add('TLS watch', watchTls(files, log, opened.applyTls));
  announcements.push(...[...opened.listeners].map(([name, address]) => `${name} listener on ${address}`));
  const { address, fronts } = opened;
  const isServing = () => plan.first === 1 || fronts?.supervisors.some(({ state }) => state === 'running') === true;
  const stop = () => drain.run(opened).then(() => unwind.run(log));
  return { address, dataDir: dataDir.path, runtime: built.runtime, fronts, isServing, announcements, log, stop };
}

type Built = ReturnType<typeof build>;

/** Everything that starts nothing. */
function build(options: Start, parts: RuntimeParts, served: Served, dataDir: string) {
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
  return { keys, runtime, stopping, served, contexts, listeners, routes: routesOf(contexts) };
}

/** Starts everything that is not a front. @param isServing whether this thread serves requests itself */
async function startParts(options: Start, parts: RuntimeParts, built: Built, dataDir: string, isServing: boolean) {
  const { clock, store, node } = parts;
  const { url } = store;
  const { unwind } = options;
  const { keys, runtime, stopping, contexts } = built;
  const prepared = await startOf('the store', () => prepareStore(options, url, node, dataDir, clock, keyEncryptionKeysOf(contexts)));
  keys.prepared = prepared;
  unwind.add('seal of the key server', prepared.seal.start());
  await holdLease({ ...options, ...parts });
  unwind.add('actors', () => runtime.stop());
  unwind.add('plugins', () => stopping.abort());
  await Promise.all([runtime.start(isServing), isServing && compileChecks(built.routes)]);
  await prepared.seal.waitForAttempt();
  prepared.seal.requireRightKey();
  await settleRows(prepared, runtime.dataKeys, url, node, clock);
  const announcements = [...prepared.announcements, ...prepared.seal.announcements];
  for (const [plugin, ctx] of contexts) announcements.push(...((await startOf(`the plugin ${plugin.name}`, () => plugin.open?.(ctx))) ?? []));
  unwind.add('collection', collectLargeBytes(IN_FRONT));
  return { prepared, announcements };
}

interface RuntimeParts {
  readonly clock: LocalClock;
  readonly metrics: Metrics;
  readonly tracing: Tracing | undefined;
  readonly shared: SharedMemory;
  readonly versions: Versions;
  readonly store: Required<StoreAddress>;
  readonly node: string;
}

/** @param prepared called when an actor starts; the store is prepared by then */
function createRuntime({ catalog, sections, log, isCopying, ...given }: Start, parts: RuntimeParts, prepared: () => Prepared): Runtime {
  const { clock, versions, store, node, metrics, tracing, shared } = parts;
  const { config, base, version } = given;
  return new Runtime(actorSpecs(catalog.plugins, sections, config, base, version, resolve(given.dataDir)), {
    ...{ clock, versions, store, node, log },
    shared: shared.regions.threads > 1 ? shared : undefined,
    dataKey: (purpose) => (purpose === 'keys' ? prepared().seal.dataKey() : prepared().keyring.dataKey(purpose)),
    unsealed: () => prepared().seal.unsealed(),
    adopts: (purpose) => prepared().keyring.adopts(purpose),
    adopted: (purposes) =>
      void settleRows(prepared(), purposes, store.url, node, clock).catch((error: unknown) =>
        log.error({ error: String(error) }, 'that all rows are authenticated could not be recorded; it is tried again at the next start'),
      ),
    stopMs: ACTOR_MS,
    observe: (actor) => metrics.observe(actor),
    onSpans: tracing?.take,
    isCopying: isCopying ?? false,
    isSharing: config.actors.share_threads,
  });
}
