// Starts the server step by step: configuration, plugins, store, actors, HTTP front. If a step fails, the earlier steps are undone.
import type { DestinationStream } from 'pino';
import { actorSpecs } from './catalog/actors.ts';
import { routesOf } from './catalog/routes.ts';
import { createClock, type LocalClock } from './clock.ts';
import { type Configured, type ConfigureOptions, configure } from './configure.ts';
import { contextsOf } from './context.ts';
import { openDataDir } from './data-dir.ts';
import type { Front } from './http/front.ts';
import { certificatesIn, readTls, tlsFiles } from './http/tls.ts';
import { keyEncryptionKeyOf } from './key-server-key.ts';
import { createLog } from './log.ts';
import type { Log } from './log-entry.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import type { FrontView } from './plugin.ts';
import { createPorts, type ServedTls } from './ports.ts';
import { nodeName, type Prepared, prepareStore, settleRows, storeUrl } from './prepare-store.ts';
import { collectLargeBytes, IN_FRONT } from './runtime/collect.ts';
import { Runtime } from './runtime/runtime.ts';
import { Regions } from './shared/region.ts';
import { Unwind } from './unwind.ts';
import { createVersions } from './versions.ts';

interface BootOptions extends ConfigureOptions {
  readonly version: string;
  /** For tests that move the clock. */
  readonly clock?: LocalClock;
  /** Parts of actors beside the front get copies, as other threads would: tests notice what both sides hold. */
  readonly isCopying?: boolean;
  /** For tests: output of the log instead of standard output. */
  readonly logTo?: DestinationStream;
}

export interface Server {
  /** `https://host:port` */
  readonly address: string;
  readonly dataDir: string;
  readonly runtime: Runtime;
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
  const { config, log, unwind, version } = options;
  const clock = options.clock ?? createClock();
  const metrics = createMetrics();
  const dataDir = openDataDir(options.dataDir, (warning) => log.warn({ warning }, 'data folder'));
  unwind.add('data folder', () => dataDir.release());
  const files = await tlsFiles(config.http, options.base, dataDir.path, clock.now());
  const tls: ServedTls = { files, current: readTls(files) };
  const url = storeUrl(config.store.url, dataDir.path);
  const node = nodeName(dataDir.path);
  const keys: { prepared?: Prepared } = {};
  const runtime = createRuntime(options, { clock, metrics, store: { url }, node, prepared: () => keys.prepared as Prepared });
  const stopping = new AbortController();
  const served: { front?: Front } = {};
  const front: FrontView = { openapi: (format) => (served.front as Front).openapi(format), certificateChain: () => certificatesIn(String(tls.current.cert)) };
  const shared = new Regions(1);
  const contexts = contextsOf(options, { runtime, clock, metrics, shared, dataDir: dataDir.path, version, front, env: options.kept, signal: stopping.signal });
  const routes = routesOf(contexts);
  const listeners = [...contexts].flatMap(([plugin, ctx]) => plugin.listeners?.(ctx) ?? []);
  const prepared = await prepareStore(options, url, node, dataDir.path, clock, keyEncryptionKeyOf(contexts));
  keys.prepared = prepared;
  unwind.add('seal of the key server', prepared.seal.start());
  unwind.add('actors', () => runtime.stop());
  unwind.add('plugins', () => stopping.abort());
  await runtime.start();
  await prepared.seal.waitForAttempt();
  prepared.seal.requireRightKey();
  await settleRows(prepared, runtime.dataKeys, url, node, clock);
  const announcements = [...prepared.announcements, ...prepared.seal.announcements];
  for (const [plugin, ctx] of contexts) announcements.push(...((await plugin.open?.(ctx)) ?? []));
  unwind.add('collection', collectLargeBytes(IN_FRONT));
  const ports = await createPorts({ ...options, contexts, routes, listeners, tls, runtime, seal: prepared.seal, metrics, clock, shared });
  served.front = ports.front;
  const opened = await ports.open();
  announcements.push(...opened.announcements);
  return { address: opened.address, dataDir: dataDir.path, runtime, announcements, log, stop: () => unwind.run(log) };
}

interface RuntimeParts {
  readonly clock: LocalClock;
  readonly metrics: Metrics;
  readonly store: { readonly url: string };
  readonly node: string;
  /** Called when an actor starts; the store is prepared by then. */
  prepared(): Prepared;
}

function createRuntime({ catalog, sections, config, base, version, log, isCopying }: Start, { metrics, prepared, ...parts }: RuntimeParts): Runtime {
  const runtime = new Runtime(actorSpecs(catalog.plugins, sections, config, base, version), {
    ...parts,
    versions: createVersions(),
    log,
    dataKey: (purpose) => (purpose === 'keys' ? prepared().seal.dataKey() : prepared().keyring.dataKey(purpose)),
    unsealed: () => prepared().seal.unsealed(),
    adopts: (purpose) => prepared().keyring.adopts(purpose),
    stopMs: ACTOR_MS,
    observe: (actor) => metrics.observe(actor),
    isCopying: isCopying ?? false,
  });
  metrics.watch(runtime, () => prepared().seal.isSealed);
  return runtime;
}
