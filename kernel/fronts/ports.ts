// Opens the ports of a front: HTTPS with the routes of plugins and kernel, and the listeners of other protocols.
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { addressList } from '../address-list.ts';
import { faultTables } from '../catalog/faults.ts';
import type { Clock } from '../clock.ts';
import type { Contexts } from '../context.ts';
import type { WholeServer } from '../health/whole-server.ts';
import { problemWriter } from '../http/answer/problem.ts';
import { createAuthentication } from '../http/caller/authenticate.ts';
import { expectProxies } from '../http/connection/behind-proxies.ts';
import { createFront, type Front } from '../http/front.ts';
import { addProbes } from '../http/probes.ts';
import type { Route } from '../http/route.ts';
import { tlsApplier } from '../http/tls/tls.ts';
import type { FrontLimits } from '../limits/front-limits.ts';
import { listen as listenTo, type OpenListener, type PassedListener } from '../listener/listen.ts';
import { listenFailure } from '../listener/listen-failure.ts';
import type { Listener } from '../listener/listener.ts';
import type { Log } from '../log/log-entry.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { AnyPlugin } from '../plugin.ts';
import type { Configured } from '../start/configure.ts';
import type { Tracer } from '../tracing/tracer.ts';
import type { Unwind } from '../unwind.ts';
import { type PassedSockets, requireListeners } from './passed-sockets.ts';

/** A number of a file descriptor goes before a port. */
interface ListenAt {
  readonly host: string;
  readonly port: number;
  readonly reusePort: boolean;
  readonly fd: number | undefined;
}

interface PortOptions extends Pick<Configured, 'config' | 'catalog'> {
  readonly contexts: Contexts;
  readonly routes: readonly Route[];
  readonly listeners: readonly Listener[];
  readonly tls: TlsOptions;
  readonly limits: FrontLimits;
  readonly whole: WholeServer;
  readonly metrics: Metrics;
  /** Absent if nothing is traced. */
  readonly tracer: Tracer | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly unwind: Unwind;
  /** Version of gatehouse. */
  readonly version: string;
  /** Other threads of the process listen on the same ports. */
  readonly reusePort: boolean;
  readonly sockets?: PassedSockets;
}

interface Ports {
  readonly front: Front;
  /** Opens the ports, and registers with `unwind` that they are closed. @param at the ports, if they are known already */
  open(at?: BoundPorts): Promise<Opened>;
  /** Every connection ends after its next answer. */
  drain(): void;
}

/** Numbers of open ports. */
export interface BoundPorts {
  readonly https: number;
  /** By name of the listener. */
  readonly listeners: ReadonlyMap<string, number>;
}

export interface Opened {
  /** `https://host:port` */
  readonly address: string;
  readonly listeners: readonly Pick<OpenListener, 'name' | 'address'>[];
  /** Gives the ports new options. */
  applyTls(tls: TlsOptions): void;
}

/** How long a stop waits for running requests. */
export const REQUESTS_MS = 10_000;

/** Builds the HTTP server. No port is open before `open` is called. */
export async function createPorts(options: PortOptions): Promise<Ports> {
  const { config, catalog, contexts, metrics, tracer, clock, log, unwind, version, routes, tls, listeners, limits, reusePort, sockets } = options;
  const hooks = [...contexts];
  const authentication = createAuthentication(
    hooks.map(([plugin, ctx]) => plugin.authenticators?.(ctx) ?? {}),
    clock,
  );
  const problems = problemWriter(faultTables(catalog.plugins), log);
  const front = await createFront({
    ...{ http: config.http, tls, routes, authentication, problems, limits, metrics, tracer, clock, log, version },
    tags: tagsOf(catalog.plugins),
    logsRequests: config.log.level === 'debug',
    unserved: catalog.plugins.flatMap(({ unserved }) => unserved ?? []),
  });
  const isVersionJson = hooks.some(([plugin, ctx]) => plugin.isVersionJson?.(ctx.config) ?? false);
  addProbes(front.app, { ...options.whole, authentication, allow: config.metrics.allow, version, isVersionJson });
  let opened: readonly OpenListener[] = [];
  return {
    front,
    drain() {
      front.drain();
      for (const listener of opened) listener.drain();
    },
    async open(at) {
      if (sockets) requireListeners(sockets, listeners);
      const closing = [() => front.close(REQUESTS_MS)];
      // At the same time: otherwise one would still take connections while another ends its own, and the stop would take as long as all of them.
      unwind.add('ports', () => closeAll(closing));
      const proxies = config.http.proxy_protocol.length > 0 ? addressList(config.http.proxy_protocol) : undefined;
      if (proxies) expectProxies(front.server, proxies, log);
      const address = await listen(front, { host: config.http.host, port: at?.https ?? config.http.port, reusePort, fd: sockets?.https });
      const common = { tls, clock, log, limits, tracer, proxies, arrivalMs: config.http.request_timeout * 1000, reusePort };
      opened = await openListeners(placed(listeners, at, sockets), common, closing);
      const applyTls = tlsApplier([{ server: front.server, closeIdle: () => front.server.closeIdleConnections() }, ...opened], tls);
      return { address, listeners: opened, applyTls };
    },
  };
}

function placed(listeners: readonly Listener[], at: BoundPorts | undefined, sockets: PassedSockets | undefined): readonly PassedListener[] {
  return listeners.map((listener) => ({
    ...listener,
    port: at?.listeners.get(listener.name) ?? listener.port,
    fd: sockets?.listeners.get(listener.name.toLowerCase()),
  }));
}

async function closeAll(closing: readonly (() => Promise<void>)[]): Promise<void> {
  for (const closed of await Promise.allSettled(closing.map((close) => close()))) if (closed.status === 'rejected') throw closed.reason;
}

/** @param closing gets each open listener at once, so that it is closed if a later one fails */
async function openListeners(
  listeners: readonly PassedListener[],
  common: Parameters<typeof listenTo>[1],
  closing: (() => Promise<void>)[],
): Promise<OpenListener[]> {
  const opened: OpenListener[] = [];
  for (const listener of listeners) {
    const open = await listenTo(listener, common);
    closing.push(() => open.close(REQUESTS_MS));
    opened.push(open);
  }
  return opened;
}

async function listen({ app, server }: Front, at: ListenAt): Promise<string> {
  const { host, port, reusePort, fd } = at;
  try {
    // Without a host Fastify looks up localhost first.
    await app.listen(fd === undefined ? { host, port, reusePort } : ({ host: '127.0.0.1', fd } as object));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const where = fd === undefined ? `${host} port ${port}` : `the socket ${fd} that was passed`;
    throw code === undefined ? error : listenFailure('http', where, code);
  }
  const bound = server.address() as AddressInfo;
  const where = fd === undefined ? host : bound.address;
  return `https://${where.includes(':') ? `[${where}]` : where}:${bound.port}`;
}

/** @returns the plugins' descriptions of the groups of routes; the first description of a group is used */
function tagsOf(plugins: readonly AnyPlugin[]): Readonly<Record<string, string>> {
  const tags: Record<string, string> = {};
  for (const [tag, about] of plugins.flatMap((plugin) => Object.entries(plugin.tags ?? {}))) tags[tag] ??= about;
  return tags;
}
