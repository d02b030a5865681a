// Adds a declared route to Fastify: authenticates before the body is read, validates before the handler runs, and sends the answer.
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { atEnd } from '../at-once.ts';
import type { Clock } from '../clock.ts';
import type { FrontLimits } from '../limits/front-limits.ts';
import type { Leave } from '../limits/turns.ts';
import type { Span } from '../tracing/span.ts';
import { refuseUnread } from './answer/answers.ts';
import { type LiveViews, wantsEvents } from './answer/live-views.ts';
import { onceClosed } from './answer/once-closed.ts';
import type { Problem } from './answer/problem.ts';
import { send } from './answer/send.ts';
import { type PermitRequest, type Routed, requestBeginner } from './begin-request.ts';
import { addRawParser, type ReadBytes } from './body/body.ts';
import { checksOf } from './body/checks.ts';
import { readBody } from './body/read-body.ts';
import type { Authentication } from './caller/authenticate.ts';
import type { Caller } from './caller/credential.ts';
import { holderOf } from './caller/holder.ts';
import { operationOf } from './openapi/openapi.ts';
import { fastifyPath, refuseOthers } from './other-methods.ts';
import { parametersCheck } from './parameters.ts';
import { RequestView } from './request-view.ts';
import type { ErrorForm, Route } from './route.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The response to this request. */
    response: ServerResponse;
    /** What the declared route of this request says. */
    routed: Routed | undefined;
    /** If requests are traced. */
    span: Span | undefined;
    /** Set once the credential has been checked. */
    caller: Caller | undefined;
    /** A route with its own error body; set once the request has passed authentication. */
    admitted: Route | undefined;
    /** The form of errors of the route. */
    form: ErrorForm | undefined;
    /** Milliseconds until the first event of a live view. */
    firstMs: number | undefined;
  }
}

interface Surroundings {
  readonly limits: FrontLimits;
  readonly authentication: Authentication;
  readonly clock: Clock;
  readonly live: LiveViews;
}

/** Adds what a request knows of its route and caller; call it before the first route is added. */
export function decorateRequests(app: FastifyInstance): void {
  for (const name of ['response', 'routed', 'span', 'caller', 'admitted', 'form', 'firstMs']) app.decorateRequest(name, undefined);
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

function addRoute(app: FastifyInstance, route: Route, surroundings: Surroundings): void {
  const { handle } = route;
  const { authentication, clock, limits } = surroundings;
  const { checkBody, checkQuery } = checksOf(route);
  const url = fastifyPath(route.path);
  const begin = requestBeginner(
    route,
    { url, bodyLimit: route.bodyLimit ?? (app.initialConfig.bodyLimit as number) },
    { authentication, permit: permitOf(route, surroundings) },
  );
  const options: RouteShorthandOptions = {
    ...(route.bodyLimit === undefined ? {} : { bodyLimit: route.bodyLimit }),
    onRequest: (request, reply, done) => {
      const begun = begin(request, reply);
      if (begun instanceof Promise) return begun;
      done();
    },
  };
  app.route({
    method: route.method,
    url,
    schema: operationOf(route),
    ...options,
    handler: (request, reply) => {
      checkQuery?.(request.query);
      if (route.nullIsNone && request.body === null) request.body = undefined;
      if (route.live && wantsEvents(request)) return beginLive(request, reply, route, surroundings);
      if (checkBody && !(route.bodyOptional && request.body === undefined)) checkBody(request.body);
      const view = new RequestView(request, clock);
      const answer = view.caller ? runInTurn(limits, request, view, handle) : handle(view);
      return answer instanceof Promise ? answer.then((each) => send(request, reply, each)) : send(request, reply, answer);
    },
  });
}

/** The credential is checked before each reading but the first, for which it just was, and each takes a turn of the caller. */
async function beginLive(request: FastifyRequest, reply: FastifyReply, route: Route, { authentication, clock, limits, live }: Surroundings) {
  const { auth, authenticators, handle } = route;
  let isFirst = true;
  const read = async () => {
    if (!isFirst && auth !== 'none') request.caller = await authentication.require(request, auth, authenticators);
    isFirst = false;
    return runInTurn(limits, request, new RequestView(request, clock), handle);
  };
  const answer = await live.begin(request, { who: whoseIs(request), everyMs: route.live?.everyMs as number, read });
  request.firstMs = reply.elapsedTime;
  return send(request, reply, answer);
}

type Run<T> = (view: RequestView) => T | Promise<T>;

/** In a turn of the caller, like the handler: a flood of requests that will be refused must not keep the actors that decide from others. */
function permitOf({ permit }: Route, { clock, limits }: Surroundings): PermitRequest | undefined {
  if (!permit) return undefined;
  return (request) => {
    const view = new RequestView(request, clock);
    return view.caller ? runInTurn(limits, request, view, permit) : permit(view);
  };
}

/** Runs the handler in the caller's turn. A caller with slow requests waits; one that does not read its answers is refused. Others are still served. */
function runInTurn<T>({ answers, turns }: FrontLimits, request: FastifyRequest, view: RequestView, handle: Run<T>): T | Promise<T> {
  const who = whoseIs(request);
  refuseUnread(answers, who);
  const entered = turns.enter(who, view);
  if (!(entered instanceof Promise)) return runUntil(entered, view, handle);
  return entered.then((leave) => {
    try {
      refuseUnread(answers, who);
    } catch (refusal) {
      leave();
      throw refusal;
    }
    return runUntil(leave, view, handle);
  });
}

function runUntil<T>(leave: Leave, view: RequestView, handle: Run<T>): T | Promise<T> {
  view.turn = leave;
  let answer: T | Promise<T> | undefined;
  try {
    answer = handle(view);
  } finally {
    if (!(answer instanceof Promise)) leave();
  }
  return answer instanceof Promise ? atEnd(answer, leave) : answer;
}

/** @returns the holder whose share this request counts against */
export function whoseIs(request: FastifyRequest): string {
  return holderOf(request.caller, request.ip);
}

/** The body counts against the caller's share until the answer is sent or the connection is closed. */
export function bodyReader({ requests }: FrontLimits): ReadBytes {
  return (request, done) => {
    const hold = (lose: () => void) => {
      const holding = requests.open(whoseIs(request), lose);
      onceClosed(request.response, () => holding.release());
      return holding;
    };
    const begin = () => {
      // The client may wait for it (RFC 9110 section 10.1.1). Node ends the connection of one that was answered without.
      if (request.headers.expect !== undefined && request.raw.httpVersion === '1.1') request.response.writeContinue();
    };
    readBody(request.raw, { maxBytes: (request.routed ?? request.routeOptions).bodyLimit, begin, hold }, done);
  };
}

/** @returns the route's own error body for this problem; undefined if there is none */
export function ownRefusal(request: FastifyRequest, { status, body }: Problem): ReturnType<NonNullable<Route['refusal']>> {
  const { code, message, errors } = body;
  return request.admitted?.refusal?.({ code, message, errors, status });
}

/** @returns the error form of the route of this request; undefined if it has none */
export function formOf(request: FastifyRequest): ErrorForm | undefined {
  return request.form;
}
