// The HTTP server: Fastify over TLS with its limits, hooks, error answers and graceful end.
import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import { callContext } from '../call-context.ts';
import type { Clock } from '../clock.ts';
import type { KernelConfig } from '../config/sections.ts';
import { Fault } from '../fault.ts';
import type { FrontLimits } from '../front-limits.ts';
import type { Log } from '../log-entry.ts';
import type { Metrics } from '../metrics.ts';
import { boundAnswers } from './answers.ts';
import type { Authentication } from './authenticate.ts';
import { addJsonParser } from './body.ts';
import { type Connections, watchConnections } from './connections.ts';
import { addDefaultHeaders, setDefaultHeaders } from './default-headers.ts';
import { oneByOne } from './one-by-one.ts';
import { addOpenApi, type DocumentText, OPENAPI_PATH } from './openapi.ts';
import type { Problem, ProblemWriter } from './problem.ts';
import { refuseUnparsed } from './refuse-unparsed.ts';
import type { ErrorForm, Route, Unserved } from './route.ts';
import { addRoutes, bodyReader, decorateRequests, formOf, knowMethods, ownRefusal, refuseOthers, whoseIs } from './serve-route.ts';
import { sourceOf } from './source.ts';

interface FrontOptions {
  readonly http: KernelConfig['http'];
  readonly tls: ServerOptions;
  readonly routes: readonly Route[];
  readonly authentication: Authentication;
  readonly problems: ProblemWriter;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
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

/** Idle connections cost memory, so time is limited for the headers of a request and, with keep-alive, for the next request. */
const HEADERS_MS = 10_000;
const KEEP_ALIVE_MS = 15_000;
const CHECK_MS = 2_000;
const MAX_HEADER_BYTES = 16_384;
/** In effect no limit: a path cannot be longer than the header block, and each parameter has its own rule. */
const MAX_PARAM = MAX_HEADER_BYTES;
/** When a response reports that it is finished, its last bytes may not have passed through TLS yet. */
const LINGER_MS = 100;
/** Time for the first request of a connection that was taken before the close began: its handshake may not be finished. */
const FIRST_REQUEST_MS = 1000;

export async function createFront(options: FrontOptions): Promise<Front> {
  const { http, tls, routes, problems, limits } = options;
  const connections: { current?: Connections } = {};
  const app = fastify({
    logger: false,
    genReqId: () => randomUUID(),
    bodyLimit: http.body_limit,
    trustProxy: http.trusted_proxies.length > 0 ? [...http.trusted_proxies] : false,
    requestTimeout: http.request_timeout * 1000,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    // A connection that was taken before the close began is served: its client has no reason to ask elsewhere.
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM },
    clientErrorHandler: (error, socket) => void refuseUnparsed(app, error, socket, connections.current as Connections),
    frameworkErrors: (error, request, reply) => {
      void sendProblem(setDefaultHeaders(reply as unknown as FastifyReply), problems(error, request.id));
    },
    serverFactory: (handler) => {
      const server = createServer({ ...tls, ...serverLimits(http) }, oneByOne(renewing(handler, connections)));
      server.keepAliveTimeout = KEEP_ALIVE_MS;
      const watched = watchConnections(server, limits.connections.https);
      server.on('request', ({ socket }) => watched.noteActivity(socket));
      server.on('secureConnection', (socket) => limits.stalled.watch(socket, `from ${sourceOf(socket.remoteAddress ?? '')}`));
      connections.current = watched;
      return server;
    },
  });
  const busy = new Set<string>();
  beforeRoutes(app, options, busy);
  const openapi = await addOpenApi(app, options);
  refuseOthers(app, OPENAPI_PATH, new Set(['GET']));
  addRoutes(app, routes, options);
  const watched = connections.current as Connections;
  const [renew, drain] = [() => watched.renew(), () => watched.drain()];
  return { app, server: app.server as unknown as Server, openapi, renew, drain, close: (ms) => close(app, busy, watched, ms) };
}

function beforeRoutes(app: FastifyInstance, options: FrontOptions, busy: Set<string>): void {
  knowMethods(app);
  addJsonParser(app, bodyReader(options.limits));
  decorateRequests(app);
  addHooks(app, options, busy);
  addDefaultHeaders(app);
  boundAnswers(app, options.limits, whoseIs);
  addErrors(app, options);
}

/** Where a connection is to be made anew, Node then writes `Connection: close` (RFC 9112 section 9.6). */
function renewing(handle: RequestListener, connections: { readonly current?: Connections }): RequestListener {
  return (request, response) => {
    if (connections.current?.isToRenew(request.socket)) response.shouldKeepAlive = false;
    handle(request, response);
  };
}

function serverLimits(http: KernelConfig['http']): ServerOptions {
  return {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: Math.min(HEADERS_MS, http.request_timeout * 1000),
    requestTimeout: http.request_timeout * 1000,
    connectionsCheckingInterval: CHECK_MS,
    ALPNProtocols: ['http/1.1'],
  };
}

function addHooks(app: FastifyInstance, { metrics, log }: FrontOptions, busy: Set<string>): void {
  app.addHook('onRequest', (request, reply, done) => {
    busy.add(request.id);
    request.response = reply.raw;
    // For an unknown path, errors in the body do not matter: it is not read.
    callContext.run({ requestId: request.id }, done, request.is404 ? new Fault('NOT_FOUND') : undefined);
  });
  app.addHook('onResponse', (request, reply, done) => {
    busy.delete(request.id);
    const route = request.routeOptions.url ?? 'none';
    metrics.httpDuration.observe(request.method, route, reply.statusCode, reply.elapsedTime / 1000);
    log.debug({ request_id: request.id, method: request.method, route, status: reply.statusCode, ms: reply.elapsedTime, source: request.ip }, 'request');
    done();
  });
}

function addErrors(app: FastifyInstance, { problems, unserved }: FrontOptions): void {
  app.setErrorHandler((error, request, reply) => {
    const usual = problems(error, request.id);
    const form = formOf(request) ?? (request.is404 ? unservedForm(unserved, request.url) : undefined);
    if (form) return sendFormed(reply, usual, form);
    const own = ownRefusal(request, usual);
    return sendProblem(reply, own ? { ...usual, ...own } : usual);
  });
  app.setNotFoundHandler(() => {
    throw new Fault('NOT_FOUND');
  });
}

function sendProblem(reply: FastifyReply, { status, headers, body }: Omit<Problem, 'body'> & { readonly body: unknown }): FastifyReply {
  return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(body);
}

function unservedForm(unserved: readonly Unserved[], url: string): ErrorForm | undefined {
  const begins = (prefix: string) => url.startsWith(prefix);
  return unserved.find(({ below, except }) => below.some(begins) && !except.some(begins))?.form;
}

function sendFormed(reply: FastifyReply, { status: usual, headers, body }: Problem, form: ErrorForm): FastifyReply {
  const status = form.status(usual);
  const { 'www-authenticate': challenge, ...others } = headers;
  const sent = Buffer.from(JSON.stringify(form.body({ ...body, status })));
  // Sent as bytes: Fastify would add a charset to the content type of a string.
  return reply
    .code(status)
    .headers(challenge !== undefined && status === 401 ? headers : others)
    .type('application/json')
    .send(sent);
}

async function close(app: FastifyInstance, busy: ReadonlySet<string>, connections: Connections, ms: number): Promise<void> {
  const closed = app.close();
  const began = performance.now();
  const isAwaited = (passed: number) => (busy.size > 0 && passed < ms) || (connections.hasSilent() && passed < Math.min(ms, FIRST_REQUEST_MS));
  while (isAwaited(performance.now() - began)) await pause(LINGER_MS / 4);
  await pause(LINGER_MS);
  // The rest have no running request: they are kept alive, or have sent nothing for long.
  connections.destroyAll();
  await closed;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
