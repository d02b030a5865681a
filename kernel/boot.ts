// The boot of the server as named steps: configuration, plugins, store, actors, front. What fails unwinds what was done and says why.
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from 'node:tls';
import type { DestinationStream } from 'pino';
import { actorSpecs, faultTables, routesOf, tagsOf } from './catalog.ts';
import { createClock, type LocalClock } from './clock.ts';
import { ConfigError } from './config/load.ts';
import { type Configured, type ConfigureOptions, configure } from './configure.ts';
import { contextsOf } from './context.ts';
import { openDataDir } from './data-dir.ts';
import { type FrontLimits, frontLimits } from './front-limits.ts';
import { createAuthentication } from './http/authenticate.ts';
import { createFront, type Front } from './http/front.ts';
import { addProbes } from './http/probes.ts';
import { problemWriter } from './http/problem.ts';
import { certificatesIn, readTls, type TlsService, tlsFiles, watchTls } from './http/tls.ts';
import type { Keyring } from './keyring.ts';
import { listen as listenTo, type OpenListener } from './listener/listen.ts';
import type { Listener } from './listener/listener.ts';
import { createLog } from './log.ts';
import type { Log } from './log-entry.ts';
import { createMetrics } from './metrics.ts';
import type { FrontView } from './plugin.ts';
import { nodeName, prepareStore, settleRows, storeUrl } from './prepare-store.ts';
import { notReady } from './readiness.ts';
import { collectLargeBytes, IN_FRONT } from './runtime/collect.ts';
import { Runtime } from './runtime/runtime.ts';
import { Unwind } from './unwind.ts';
import { createVersions } from './versions.ts';

interface BootOptions extends ConfigureOptions {
  readonly version: string;
  /** Tests move it. */
  readonly clock?: LocalClock;
  /** Where log lines go instead of standard output. */
  readonly logTo?: DestinationStream;
}

export interface Server {
  /** `https://host:port` */
  readonly address: string;
  readonly dataDir: string;
  readonly runtime: Runtime;
  /** What the plugins want the operator to know, for the line that says the server is up. */
  readonly announcements: readonly string[];
  readonly log: Log;
  /** Finishes what is under way and stops everything; settles when it has. */
  stop(): Promise<void>;
}

/** Limits of a graceful stop, milliseconds: of the requests under way, and of each actor. */
const REQUESTS_MS = 10_000;
const ACTOR_MS = 5_000;
/** Of the connections of the process, where there are protocols beside HTTP. */
const LISTENERS_SHARE = 0.25;

/** @throws ConfigError for what the operator has to mend, Error for anything else; nothing is left running */
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
  const { config, catalog, sections, log, unwind, version, kept } = options;
  const clock = options.clock ?? createClock();
  const metrics = createMetrics();
  const dataDir = openDataDir(options.dataDir, (warning) => log.warn({ warning }, 'data folder'));
  unwind.add('data folder', () => dataDir.release());
  const files = await tlsFiles(config.http, options.base, dataDir.path, clock.now());
  let tls = readTls(files);
  const store = { url: storeUrl(config.store.url, dataDir.path) };
  const node = nodeName(dataDir.path);
  const specs = actorSpecs(catalog.plugins, sections, config, options.base, version);
  let keyring: Keyring | undefined;
  const ring = () => keyring as Keyring;
  const runtime = new Runtime(specs, {
    clock,
    versions: createVersions(),
    log,
    store,
    node,
    dataKey: (purpose) => ring().dataKey(purpose),
    adopts: (purpose) => ring().adopts(purpose),
    stopMs: ACTOR_MS,
    observe: (actor) => metrics.observe(actor),
  });
  metrics.watch(runtime);
  const stopping = new AbortController();
  let front: Front | undefined;
  const view: FrontView = { openapi: (format) => (front as Front).openapi(format), certificateChain: () => certificatesIn(String(tls.cert)) };
  const contexts = contextsOf(options, { runtime, clock, metrics, dataDir: dataDir.path, version, front: view, env: kept, signal: stopping.signal });
  const routes = routesOf(contexts);
  const listeners = [...contexts].flatMap(([plugin, ctx]) => plugin.listeners?.(ctx) ?? []);
  const prepared = await prepareStore(options, store.url, node, dataDir.path, clock);
  keyring = prepared.keyring;
  unwind.add('actors', () => runtime.stop());
  unwind.add('plugins', () => stopping.abort());
  await runtime.start();
  await settleRows(prepared, runtime.dataKeys, store.url, node, clock);
  const announcements = [...prepared.announcements];
  for (const [plugin, ctx] of contexts) announcements.push(...((await plugin.open?.(ctx)) ?? []));
  const authentication = createAuthentication(
    [...contexts].map(([plugin, ctx]) => plugin.authenticators?.(ctx) ?? {}),
    clock,
  );
  const limits = frontLimits(config.http, clock);
  unwind.add('front limits', () => limits.stalled.close());
  unwind.add('collection', collectLargeBytes(IN_FRONT));
  const served = await createFront({
    limits,
    http: config.http,
    tls,
    routes,
    authentication,
    problems: problemWriter(faultTables(catalog.plugins), log),
    metrics,
    clock,
    log,
    version,
    tags: tagsOf(catalog.plugins),
    unserved: catalog.plugins.flatMap(({ unserved }) => unserved ?? []),
    share: listeners.length === 0 ? 1 : 1 - LISTENERS_SHARE,
  });
  front = served;
  const isVersionJson = [...contexts].some(([plugin, ctx]) => plugin.isVersionJson?.(ctx.config) ?? false);
  addProbes(served.app, { notReady: () => notReady(runtime, contexts), authentication, metrics, allow: config.metrics.allow, version, isVersionJson });
  unwind.add('front', () => served.close(REQUESTS_MS));
  const address = await listen(served, config.http);
  const opened = await openListeners(listeners, options, tls, clock, limits);
  announcements.push(...opened.map(({ name, address: where }) => `${name} listener on ${where}`));
  const services: TlsService[] = [{ server: served.server, closeIdle: () => served.server.closeIdleConnections() }, ...opened];
  const changed = (now: TlsOptions) => {
    tls = now;
  };
  unwind.add('TLS watch', watchTls(services, files, log, changed));
  return { address, dataDir: dataDir.path, runtime, announcements, log, stop: () => unwind.run(log) };
}

/** What is opened is closed by the unwinding, also when a later one fails. */
async function openListeners(
  listeners: readonly Listener[],
  { config, log, unwind }: Start,
  tls: TlsOptions,
  clock: LocalClock,
  limits: FrontLimits,
): Promise<OpenListener[]> {
  const common = { tls, clock, log, limits, arrivalMs: config.http.request_timeout * 1000, share: LISTENERS_SHARE / listeners.length };
  const opened: OpenListener[] = [];
  for (const listener of listeners) {
    const open = await listenTo(listener, common);
    unwind.add(`${listener.name} listener`, () => open.close(REQUESTS_MS));
    opened.push(open);
  }
  return opened;
}

async function listen({ app, server }: Front, { host, port }: { readonly host: string; readonly port: number }): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new ConfigError([`http: cannot listen on ${host} port ${port} (${code})`]);
  }
  const bound = server.address() as AddressInfo;
  return `https://${host.includes(':') ? `[${host}]` : host}:${bound.port}`;
}
