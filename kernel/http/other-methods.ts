// The methods of HTTP: which the server knows, and 405 for those that a path does not have.
import type { RequestListener } from 'node:http';
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { Fault } from '../fault.ts';
import type { ErrorForm } from './route.ts';

/** What no route takes, whatever else the parser knows or not. */
export const UNTAKEN = 'TRACE';
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', UNTAKEN];
const KNOWN: ReadonlySet<string | undefined> = new Set(METHODS);

/** Registers all methods; call it before the first route is added. */
export function knowMethods(app: FastifyInstance): void {
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
}

/** Serves a method that no route takes as the one that stands for all of them: each in a router of its own, they cost more than all routes. */
export function withKnownMethods(handle: RequestListener): RequestListener {
  return (request, response) => {
    if (!KNOWN.has(request.method)) request.method = UNTAKEN;
    handle(request, response);
  };
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
      if (form) request.form = form;
      checkParams(request.params);
      void reply.header('allow', allow);
      throw new Fault('METHOD_NOT_ALLOWED');
    },
    handler: async () => undefined,
  });
}

/** Converts `/sessions/{session_id}` to the router's `/sessions/:session_id`. */
export function fastifyPath(path: string): string {
  return path.replaceAll(/\{([^}]+)\}/g, ':$1');
}
