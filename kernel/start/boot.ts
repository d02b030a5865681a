// Starts the server step by step: configuration, plugins, store, actors, HTTP front. If a step fails, the earlier steps are undone.
import { randomUUID } from 'node:crypto';
import type { DestinationStream } from 'pino';
import { createClock, type LocalClock } from '../clock.ts';
import { firstStartProblemsOf } from '../context.ts';
import { describe } from '../fault.ts';
import type { Fronts } from '../fronts/fronts.ts';
import { loopMeter } from '../fronts/growth.ts';
import type { PassedSockets } from '../fronts/passed-sockets.ts';
import { ClockProbe } from '../health/clock-probe.ts';
import { tlsFiles } from '../http/tls/tls.ts';
import { exposeTlsEnds } from '../http/tls/tls-ends.ts';
import { TlsWatch } from '../http/tls/tls-watch.ts';
import { keyEncryptionKeysOf } from '../keys/key-server-key.ts';
import { createLog } from '../log/log.ts';
import type { Log } from '../log/log-entry.ts';
import { createMetrics, createProcessMetrics } from '../metrics/metrics.ts';
import { repeat } from '../repeat.ts';
import { collectLargeBytes, IN_FRONT } from '../runtime/measure/collect.ts';
import { trimWhenIdle } from '../runtime/measure/trim.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { newSharedMemory } from '../shared/memory.ts';
import { StoreProbe } from '../store/store-probe.ts';
import { openableStoreUrl, requireWritable } from '../store/store-url.ts';
import { openTracing } from '../tracing/tracing.ts';
import { Unwind } from '../unwind.ts';
import { createVersions } from '../versions.ts';
import { type Built, build, type RuntimeParts } from './built.ts';
import { type Configured, type ConfigureOptions, configure } from './configure.ts';
import { openDataDir } from './data-dir.ts';
import { lockDatabase } from './database-lock.ts';
import { Drain } from './drain.ts';
import { frontPlan } from './front-plan.ts';
import { holdLease } from './hold-lease.ts';
import { nodeName, prepareStore, settleRows } from './prepare-store.ts';
import { serve } from './serve.ts';
import type { GivenGrowth } from './serving.ts';
import { startOf } from './start-failure.ts';

const DAY_MS = 86_400_000;

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
  const tlsWatch = await TlsWatch.of(files, log);
  const plan = frontPlan(options);
  const shared = newSharedMemory(plan.first === 1 ? plan.most : plan.most + 1);
  unwind.add('shared memory', () => shared.bell.close());
  const store = { url: openableStoreUrl(options.config.store.url, dataDir.path), origin: randomUUID() };
  requireWritable(store.url);
  unwind.add('lock of the database', lockDatabase(store.url));
  const node = nodeName(dataDir.path);
  const processMetrics = createProcessMetrics();
  exposeTlsEnds(processMetrics.registry, () => tlsWatch.ends);
  const tracing = await openTracing({ ...options, node, ...processMetrics });
  const parts = { clock, metrics: createMetrics(), tracing, shared, versions: createVersions(), store, node };
  const built = build(options, parts, { tls: tlsWatch.tls }, dataDir.path);
  const { announcements, prepared } = await startParts(options, parts, built, dataDir.path, plan.first === 1);
  const probe = new StoreProbe(store.url, clock, log);
  unwind.add('probe of the store', () => probe.close());
  const clockProbe = new ClockProbe(clock, log);
  unwind.add('probe of the clock', () => clockProbe.close());
  const drain = new Drain(options.config.http.drain_seconds * 1_000, clock);
  const serving = { ...options, ...parts, ...built, prepared, probe, clockProbe, tlsWatch, drain, dataDir: dataDir.path, processMetrics };
  const opened = await serve(serving, plan);
  unwind.add('TLS watch', await tlsWatch.start(clock, opened.applyTls));
  unwind.add('renewal of the self-signed certificate', renewSelfSigned(options, dataDir.path, clock));
  announcements.push(...[...opened.listeners].map(([name, address]) => `${name} listener on ${address}`));
  const { address, fronts } = opened;
  const isServing = () => plan.first === 1 || fronts?.supervisors.some(({ state }) => state === 'running') === true;
  const stop = () => drain.run(opened).then(() => unwind.run(log));
  return { address, dataDir: dataDir.path, runtime: built.runtime, fronts, isServing, announcements, log, stop };
}

/** Makes it anew in time while the server runs; whoever watches the files uses it. Nothing is done where a certificate is configured. */
function renewSelfSigned({ config, base, log }: Start, dataDir: string, clock: LocalClock): () => void {
  const failed = (error: unknown) => log.error({ error: describe(error) }, 'the self-signed certificate could not be made anew; it is tried again in a day');
  return repeat(clock, DAY_MS, () => tlsFiles(config.http, base, dataDir, clock.now()), failed);
}

/** Starts everything that is not a front. @param isServing whether this thread serves requests itself */
async function startParts(options: Start, parts: RuntimeParts, built: Built, dataDir: string, isServing: boolean) {
  const { clock, store, node } = parts;
  const { log, unwind } = options;
  const { keys, runtime, stopping, contexts } = built;
  const place = { url: store.url, node, clock };
  const preparation = { ...options, ...place, dataDir, keyEncryptionKeys: keyEncryptionKeysOf(contexts), ofFirstStart: firstStartProblemsOf(contexts) };
  const prepared = await startOf('the store', () => prepareStore(preparation));
  keys.prepared = prepared;
  unwind.add('seal of the key server', prepared.seal.start());
  await startOf('the store', () => holdLease({ ...options, ...parts }));
  unwind.add('actors', () => runtime.stop());
  unwind.add('plugins', () => stopping.abort());
  await startOf('an actor', () => runtime.start(isServing));
  await prepared.seal.waitForAttempt();
  prepared.seal.requireRightKey();
  await startOf('the store', () => settleRows(prepared, runtime.dataKeys, place));
  const announcements = [...prepared.announcements, ...prepared.seal.announcements];
  for (const [plugin, ctx] of contexts) announcements.push(...((await startOf(`the plugin ${plugin.name}`, () => plugin.open?.(ctx))) ?? []));
  unwind.add('collection', collectLargeBytes(IN_FRONT));
  unwind.add('return of memory', trimWhenIdle({ clock, log, busy: loopMeter() }));
  return { prepared, announcements };
}
