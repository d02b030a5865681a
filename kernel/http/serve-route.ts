// Adds a declared route to Fastify: authenticates before the body is read, validates before the handler runs, and sends the answer.
import { METHODS as PARSED, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, RouteShorthandOptions } from 'fastify';
import type { Clock } from '../clock.ts';
import { Fault } from '../fault.ts';
import type { FrontLimits } from '../front-limits.ts';
import { isForOnce, refuseUnread } from './answers.ts';
import type { Authentication } from './authenticate.ts';
import { addRawParser, bodyCheck, queryCheck, type ReadBytes } from './body.ts';
import type { Caller } from './credential.ts';
import { holderOf } from './holder.ts';
import { operationOf } from './openapi.ts';
import { parametersCheck } from './parameters.ts';
import type { Problem } from './problem.ts';
import { readBody } from './read-body.ts';
import { viewOf } from './request-view.ts';
import type { ErrorForm, Request, Response, Route } from './route.ts';
import { signInAddress } from './to-sign-in.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The response to this request. */
    response: ServerResponse;
  }
}

interface Surroundings {
  readonly limits: FrontLimits;
  readonly authentication: Authentication;
  readonly clock: Clock;
}

/** The methods that Node's parser knows, without CONNECT, which has no path. */
const METHODS: readonly string[] = PARSED.filter((method) => method !== 'CONNECT');
const callers = new WeakMap<FastifyRequest, Caller>();
/** Routes with their own error body, for requests that have passed authentication. */
const admitted = new WeakMap<FastifyRequest, Route>();
/** Error forms of requests to routes that have one. */
const forms = new WeakMap<FastifyRequest, ErrorForm>();

/** Registers all methods; call it before the first route is added. */
export function knowMethods(app: FastifyInstance): void {
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
}

export function addRoutes(app: FastifyInstance, routes: readonly Route[], surroundings: Surroundings): void {
  const byPath = new Map<string, Route[]>();
  for (const route of routes) {
    if (route.rawBody) addRawRoute(app, route, surroundings);
    else addRoute(app, route, surroundings);
    byPath.set(route.path, [...(byPath.get(route.path) ?? []), route]);
  }
  for (const [path, known] of byPath) {
    const [first] = known as [Route];
    refuseOthers(app, path, new Set(known.map(({ method }) => method)), parametersCheck(first), first.form);
  }
}

/** Uses a scope of its own, because Fastify parses content types per scope. */
function addRawRoute(app: FastifyInstance, route: Route, surroundings: Surroundings): void {
  app.register(async (scope) => {
    addRawParser(scope, bodyReader(surroundings.limits));
    addRoute(scope, route, surroundings);
  });
}

function addRoute(app: FastifyInstance, route: Route, { authentication, clock, limits }: Surroundings): void {
  const { auth, handle } = route;
  // The schema of a raw body is for the document only.
  const checkBody = route.body && !route.rawBody && bodyCheck(route.body);
  const checkParams = parametersCheck(route);
  const checkQuery = route.query && queryCheck(route.query);
  const options: RouteShorthandOptions = {
    ...(route.bodyLimit === undefined ? {} : { bodyLimit: route.bodyLimit }),
    onRequest: async (request, reply) => {
      if (route.form) forms.set(request, route.form);
      try {
        if (auth !== 'none') callers.set(request, await authentication.require(request, auth));
      } catch (refusal) {
        const address = route.page && signInAddress(request, refusal);
        if (!address) throw refusal;
        return reply.redirect(address, 303);
      }
      if (route.refusal) admitted.set(request, route);
      checkParams(request.params);
      if (route.admit) await route.admit(request.ip, request.headers);
      if (route.anyContentType) request.headers['content-type'] = 'application/json';
    },
  };
  app.route({
    method: route.method,
    url: fastifyPath(route.path),
    schema: operationOf(route),
    ...options,
    handler: async (request, reply) => {
      checkQuery?.(request.query);
      if (route.nullIsNone && request.body === null) request.body = undefined;
      if (checkBody && !(route.bodyOptional && request.body === undefined)) checkBody(request.body);
      const view = viewOf(request, reply, clock, callers.get(request));
      return send(reply, view.caller ? await runInTurn(limits, request, view, handle) : await handle(view));
    },
  });
}

/** Runs the handler in the caller's turn. A caller with slow requests waits; one that does not read its answers is refused. Others are still served. */
async function runInTurn({ answers, turns }: FrontLimits, request: FastifyRequest, view: Request, handle: Route['handle']): Promise<Response> {
  const who = whoseIs(request);
  refuseUnread(answers, who);
  const entered = turns.enter(who, () => view.signal);
  const leave = entered instanceof Promise ? await entered : entered;
  try {
    refuseUnread(answers, who);
    return await handle(view);
  } finally {
    leave();
  }
}

/** @returns the holder whose share this request counts against */
export function whoseIs(request: FastifyRequest): string {
  return holderOf(callers.get(request), request.ip);
}

/** The body counts against the caller's share until the answer is sent or the connection is closed. */
export function bodyReader({ requests }: FrontLimits): ReadBytes {
  return (request) =>
    readBody(request.raw, {
      maxBytes: request.routeOptions.bodyLimit,
      hold(lose) {
        const holding = requests.open(whoseIs(request), lose);
        request.response.once('close', () => holding.release());
        return holding;
      },
    });
}

/** @returns the route's own error body for this problem; undefined if there is none */
export function ownRefusal(request: FastifyRequest, { status, body }: Problem): ReturnType<NonNullable<Route['refusal']>> {
  const { code, message, errors } = body;
  return admitted.get(request)?.refusal?.({ code, message, errors, status });
}

/** @returns the error form of the route of this request; undefined if it has none */
export function formOf(request: FastifyRequest): ErrorForm | undefined {
  return forms.get(request);
}

/** Only undefined is an empty body; `null` is sent as JSON. */
function send(reply: FastifyReply, { status, body, type, headers, once }: Response): FastifyReply {
  reply.code(status);
  if (headers) reply.headers(headers);
  if (body === undefined) return reply.send();
  if (once && body instanceof Uint8Array) isForOnce(body);
  if (body instanceof Uint8Array) return reply.type(type ?? 'application/octet-stream').send(body);
  if (typeof body === 'string' && type !== undefined) return reply.type(type).send(body);
  if (isPiecewise(body)) return reply.type(type ?? 'text/plain; charset=utf-8').send(Readable.from(body, { objectMode: false }));
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
}

function isPiecewise(body: unknown): body is AsyncIterable<string> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/**
 * Answers 405 for the methods that a known path does not support.
 * @param checkParams throws for path parameters that are invalid, which makes the answer 404
 */
export function refuseOthers(
  app: FastifyInstance,
  path: string,
  methods: ReadonlySet<string>,
  checkParams: (params: unknown) => void = () => {},
  form?: ErrorForm,
): void {
  const allow = [...methods, ...(methods.has('GET') ? ['HEAD'] : [])].join(', ');
  const others = METHODS.filter((method) => !methods.has(method) && !(method === 'HEAD' && methods.has('GET')));
  app.route({
    method: others as HTTPMethods[],
    url: fastifyPath(path),
    exposeHeadRoute: false,
    schema: { hide: true },
    onRequest: async (request, reply) => {
      if (form) forms.set(request, form);
      checkParams(request.params);
      void reply.header('allow', allow);
      throw new Fault('METHOD_NOT_ALLOWED');
    },
    handler: async () => undefined,
  });
}

/** Converts `/sessions/{session_id}` to the router's `/sessions/:session_id`. */
function fastifyPath(path: string): string {
  return path.replaceAll(/\{([^}]+)\}/g, ':$1');
}
