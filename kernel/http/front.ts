// The HTTP server: Fastify over TLS with its limits, hooks, error answers and graceful end.
import type { Server, ServerOptions } from 'node:https';
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import { callContext } from '../call-context.ts';
import type { Clock } from '../clock.ts';
import { noteServed } from '../compiled-code.ts';
import type { KernelConfig } from '../config/sections.ts';
import { Fault } from '../fault.ts';
import type { FrontLimits } from '../limits/front-limits.ts';
import type { Log } from '../log/log-entry.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Tracer } from '../tracing/tracer.ts';
import { traceIdOf } from '../tracing/unchosen.ts';
import { boundAnswers } from './answer/answers.ts';
import { addDefaultHeaders, setDefaultHeaders } from './answer/default-headers.ts';
import { addErrorAnswers, sendProblem } from './answer/error-answers.ts';
import { addLiveViews } from './answer/live-views.ts';
import type { ProblemWriter } from './answer/problem.ts';
import { addJsonParser } from './body/body.ts';
import type { Authentication } from './caller/authenticate.ts';
import { type ProxyTrouble, trustedProxies, watchProxies, withoutPorts } from './caller/forwarded.ts';
import type { Connections } from './connection/connections.ts';
import { malformed } from './connection/malformed.ts';
import { refuseUnparsed } from './connection/refuse-unparsed.ts';
import { RunningRequests } from './connection/running-requests.ts';
import { KEEP_ALIVE_MS, MAX_HEADER_BYTES, type WatchedServer, watchedServer } from './connection/watched-server.ts';
import { addOpenApi, type DocumentText, OPENAPI_PATH } from './openapi/openapi.ts';
import { knowMethods, refuseOthers, withKnownMethods } from './other-methods.ts';
import { newRequestId } from './request-id.ts';
import type { Route, Unserved } from './route.ts';
import { addRoutes, bodyReader, decorateRequests, whoseIs } from './serve-route.ts';
import { traceRequests } from './trace-requests.ts';

interface FrontOptions {
  readonly http: KernelConfig['http'];
  readonly tls: ServerOptions;
  readonly routes: readonly Route[];
  readonly authentication: Authentication;
  readonly problems: ProblemWriter;
  readonly metrics: Metrics;
  /** Absent if nothing is traced. */
  readonly tracer: Tracer | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether the log writes an entry for each request: making one that is dropped costs as much as finding the route. */
  readonly logsRequests: boolean;
  /** Version of gatehouse, for the OpenAPI document. */
  readonly version: string;
  /** Descriptions of the groups of routes, by tag. */
  readonly tags: Readonly<Record<string, string>>;
  /** Forms of the 404 answer for paths without a route; the first that matches is used. */
  readonly unserved: readonly Unserved[];
  readonly limits: FrontLimits;
}

export interface Front {
  readonly app: FastifyInstance;
  readonly server: Server;
  openapi(format: 'yaml' | 'json'): DocumentText;
  /** Ends each connection that is open now with its next answer, so that other threads get their part of the clients. */
  renew(): void;
  /** From now on every connection ends with its next answer: the server is about to stop. */
  drain(): void;
  /** Waits up to `ms` for running requests, then closes every connection. */
  close(ms: number): Promise<void>;
}

/** In effect no limit: a path cannot be longer than the header block, and each parameter has its own rule. */
const MAX_PARAM = MAX_HEADER_BYTES;
/** When a response reports that it is finished, its last bytes may not have passed through TLS yet. */
const LINGER_MS = 100;
const PROXY_TROUBLES: Readonly<Record<ProxyTrouble, string>> = {
  unnamed: 'a proxy that http.trusted_proxies does not name passes requests on: all its clients count as one, with its address',
  silent: 'a proxy of http.trusted_proxies sends no X-Forwarded-For: all its clients count as one, with its address',
};
/** Time for the first request of a connection that was taken before the close began: its handshake may not be finished. */
const FIRST_REQUEST_MS = 1000;

export async function createFront(options: FrontOptions): Promise<Front> {
  const { http, routes, problems, limits } = options;
  const watched: { server?: WatchedServer } = {};
  const app = fastify({
    logger: false,
    genReqId: newRequestId,
    bodyLimit: http.body_limit,
    trustProxy: trustedProxies(http.trusted_proxies),
    requestTimeout: http.request_timeout * 1000,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    // A connection that was taken before the close began is served: its client has no reason to ask elsewhere.
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM },
    clientErrorHandler: (error, socket) => {
      const { connections: below, endAfterAnswers } = watched.server as WatchedServer;
      endAfterAnswers(socket, () => void refuseUnparsed(app, error, socket, below));
    },
    frameworkErrors: (error, request, reply) => {
      void sendProblem(setDefaultHeaders(reply as unknown as FastifyReply), problems(error, request.id));
    },
    serverFactory: (handler) => {
      watched.server = watchedServer(options, withKnownMethods(handler));
      return watched.server.server;
    },
  });
  const server = app.server as unknown as Server;
  const running = new RunningRequests(server);
  beforeRoutes(app, options, running);
  const openapi = await addOpenApi(app, options);
  refuseOthers(app, OPENAPI_PATH, new Set(['GET']));
  const live = addLiveViews(app, { ...options, shares: limits.live });
  addRoutes(app, routes, { ...options, live });
  const { connections } = watched.server as WatchedServer;
  const drain = () => {
    connections.drain();
    live.end();
  };
  return { app, server, openapi, renew: () => connections.renew(), drain, close: (ms) => close(app, running, connections, ms) };
}

function beforeRoutes(app: FastifyInstance, options: FrontOptions, running: RunningRequests): void {
  knowMethods(app);
  addJsonParser(app, bodyReader(options.limits));
  decorateRequests(app);
  addHooks(app, options, running);
  addDefaultHeaders(app);
  boundAnswers(app, options.limits, whoseIs);
  addErrorAnswers(app, options);
}

function addHooks(app: FastifyInstance, { http, metrics, tracer, log, logsRequests }: FrontOptions, running: RunningRequests): void {
  if (http.trusted_proxies.length > 0) readForwarded(app);
  if (tracer) traceRequests(app, tracer);
  const isTraced = tracer !== undefined;
  const watch = watchProxies(http.trusted_proxies, (proxy, trouble) => log.warn({ proxy }, PROXY_TROUBLES[trouble]));
  app.addHook('onRequest', (request, reply, done) => {
    running.begin(request.raw.socket);
    noteServed();
    request.response = reply.raw;
    watch(request.raw.headers, request.raw.socket.remoteAddress ?? '');
    const refusal = malformed(request.raw);
    // What follows it may have another beginning for a proxy (RFC 9112 sections 6.1 and 6.3).
    if (refusal) reply.header('connection', 'close');
    // For an unknown path, errors in the body do not matter: it is not read.
    callContext.run({ requestId: request.id, isTraced }, done, refusal ?? (request.is404 ? new Fault('NOT_FOUND') : undefined));
  });
  app.addHook('onResponse', (request, reply, done) => {
    // Set if the hook above has run.
    if (request.response) running.end(request.raw.socket);
    const { method, firstMs, span } = request;
    const route = (request.routed ?? request.routeOptions).url ?? 'none';
    const { statusCode: status, elapsedTime } = reply;
    // How long somebody looks at a live view says nothing of the server.
    const ms = firstMs ?? elapsedTime;
    metrics.httpDuration.observe(method, route, status, ms / 1000);
    if (logsRequests) {
      const trace = isTraced && { trace_id: span?.trace.id ?? traceIdOf(request.id) };
      log.debug({ request_id: request.id, ...trace, method, route, status, ms, source: request.ip }, 'request');
    }
    done();
  });
}

/** Before anything asks for the address of the client. */
function readForwarded(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    const given = headers['x-forwarded-for'];
    if (typeof given === 'string') headers['x-forwarded-for'] = withoutPorts(given);
    done();
  });
}

async function close(app: FastifyInstance, running: RunningRequests, connections: Connections, ms: number): Promise<void> {
  const closed = app.close();
  const began = performance.now();
  const isAwaited = (passed: number) => (running.any && passed < ms) || (connections.hasSilent() && passed < Math.min(ms, FIRST_REQUEST_MS));
  while (isAwaited(performance.now() - began)) await pause(LINGER_MS / 4);
  await pause(LINGER_MS);
  // The rest have no running request: they are kept alive, or have sent nothing for long.
  connections.destroyAll();
  await closed;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
