// Opens the ports of the server: HTTPS with the routes of plugins and kernel, and the listeners of other protocols.
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { faultTables } from './catalog/faults.ts';
import type { LocalClock } from './clock.ts';
import { ConfigError } from './config/load.ts';
import type { Configured } from './configure.ts';
import type { Contexts } from './context.ts';
import { frontLimits } from './front-limits.ts';
import { createAuthentication } from './http/authenticate.ts';
import { createFront, type Front } from './http/front.ts';
import { addProbes } from './http/probes.ts';
import { problemWriter } from './http/problem.ts';
import type { Route } from './http/route.ts';
import { type TlsFiles, type TlsService, watchTls } from './http/tls.ts';
import type { KeyServerSeal } from './key-server-seal.ts';
import { listen as listenTo, type OpenListener } from './listener/listen.ts';
import type { Listener } from './listener/listener.ts';
import type { Log } from './log-entry.ts';
import type { Metrics } from './metrics.ts';
import type { AnyPlugin } from './plugin.ts';
import { degraded, notReady } from './readiness.ts';
import type { Runtime } from './runtime/runtime.ts';
import type { Regions } from './shared/region.ts';
import type { Unwind } from './unwind.ts';

/** The TLS files, and the options made from them that are in use. */
export interface ServedTls {
  readonly files: TlsFiles;
  current: TlsOptions;
}

interface PortOptions extends Pick<Configured, 'config' | 'catalog'> {
  readonly contexts: Contexts;
  readonly routes: readonly Route[];
  readonly listeners: readonly Listener[];
  readonly tls: ServedTls;
  readonly runtime: Runtime;
  readonly seal: KeyServerSeal;
  readonly metrics: Metrics;
  readonly clock: LocalClock;
  readonly shared: Regions;
  readonly log: Log;
  readonly unwind: Unwind;
  /** Version of gatehouse. */
  readonly version: string;
}

interface Ports {
  readonly front: Front;
  /** Opens the ports, and registers with `unwind` that they are closed. */
  open(): Promise<Opened>;
}

interface Opened {
  /** `https://host:port` */
  readonly address: string;
  /** A text for each listener of another protocol. */
  readonly announcements: readonly string[];
}

/** How long a stop waits for running requests. */
const REQUESTS_MS = 10_000;

/** Builds the HTTP server. No port is open before `open` is called. */
export async function createPorts(options: PortOptions): Promise<Ports> {
  const { config, catalog, contexts, runtime, metrics, clock, log, unwind, version, routes, tls, listeners } = options;
  const hooks = [...contexts];
  const authentication = createAuthentication(
    hooks.map(([plugin, ctx]) => plugin.authenticators?.(ctx) ?? {}),
    clock,
  );
  const limits = frontLimits(config.http, listeners, clock, options.shared);
  unwind.add('front limits', () => limits.close());
  const problems = problemWriter(faultTables(catalog.plugins), log);
  const front = await createFront({
    ...{ http: config.http, tls: tls.current, routes, authentication, problems, limits, metrics, clock, log, version },
    tags: tagsOf(catalog.plugins),
    unserved: catalog.plugins.flatMap(({ unserved }) => unserved ?? []),
  });
  const isVersionJson = hooks.some(([plugin, ctx]) => plugin.isVersionJson?.(ctx.config) ?? false);
  addProbes(front.app, {
    notReady: () => notReady(runtime, contexts, options.seal),
    degraded: () => degraded(runtime),
    authentication,
    metrics,
    allow: config.metrics.allow,
    version,
    isVersionJson,
  });
  return {
    front,
    async open() {
      unwind.add('front', () => front.close(REQUESTS_MS));
      const address = await listen(front, config.http);
      const common = { tls: tls.current, clock, log, limits, arrivalMs: config.http.request_timeout * 1000 };
      const opened = await openListeners(listeners, common, unwind);
      watch(options, [{ server: front.server, closeIdle: () => front.server.closeIdleConnections() }, ...opened]);
      return { address, announcements: opened.map(({ name, address: where }) => `${name} listener on ${where}`) };
    },
  };
}

/** Registers each open listener with `unwind` at once, so that it is closed if a later one fails. */
async function openListeners(listeners: readonly Listener[], common: Parameters<typeof listenTo>[1], unwind: Unwind): Promise<OpenListener[]> {
  const opened: OpenListener[] = [];
  for (const listener of listeners) {
    const open = await listenTo(listener, common);
    unwind.add(`${listener.name} listener`, () => open.close(REQUESTS_MS));
    opened.push(open);
  }
  return opened;
}

function watch({ tls, log, unwind }: PortOptions, services: readonly TlsService[]): void {
  const change = (now: TlsOptions) => {
    tls.current = now;
  };
  unwind.add('TLS watch', watchTls(services, tls.files, log, change));
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

/** @returns the plugins' descriptions of the groups of routes; the first description of a group is used */
function tagsOf(plugins: readonly AnyPlugin[]): Readonly<Record<string, string>> {
  const tags: Record<string, string> = {};
  for (const [tag, about] of plugins.flatMap((plugin) => Object.entries(plugin.tags ?? {}))) tags[tag] ??= about;
  return tags;
}
