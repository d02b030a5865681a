// What happens to a request before its body is read: authentication, the parameters of its path, and what its route says about address, headers and caller.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authentication } from './caller/authenticate.ts';
import { requireOwnPage } from './caller/foreign-pages.ts';
import { signInAddress } from './caller/to-sign-in.ts';
import { parametersCheck } from './parameters.ts';
import type { Route } from './route.ts';

/** Makes no promise for a caller that this thread knows. @throws Fault */
export type BeginRequest = (request: FastifyRequest, reply: FastifyReply) => void | Promise<void>;
/** @throws Fault */
export type PermitRequest = (request: FastifyRequest) => void | Promise<void>;

/** What is asked of the route of every request. Fastify makes an object of all options whenever it is asked for one. */
export interface Routed {
  /** As in the metrics: `/sessions/:session_id` */
  readonly url: string;
  /** In bytes. */
  readonly bodyLimit: number;
}

interface Doorkeepers {
  readonly authentication: Authentication;
  /** Of a route that not every caller may use. */
  readonly permit: PermitRequest | undefined;
}

export function requestBeginner(route: Route, routed: Routed, { authentication, permit }: Doorkeepers): BeginRequest {
  const { auth, ownPages, authenticators, admit, form, page, refusal, anyContentType, rawBody } = route;
  const checkParams = parametersCheck(route);
  const identify = (request: FastifyRequest): void | Promise<void> => {
    if (auth === 'none') return ownPages ? requireOwnPage(request, 'without a credential it is taken from pages of this server only') : undefined;
    const caller = authentication.require(request, auth, authenticators);
    if (caller instanceof Promise)
      return caller.then((each) => {
        request.caller = each;
      });
    request.caller = caller;
  };
  const enter = (request: FastifyRequest): void | Promise<void> => {
    if (refusal) request.admitted = route;
    checkParams(request.params);
    if (anyContentType) request.headers['content-type'] = 'application/json';
    else if (rawBody) forgetNoType(request);
    const admitted = admit?.(request.ip, request.headers);
    if (!permit) return admitted;
    return admitted instanceof Promise ? admitted.then(() => permit(request)) : permit(request);
  };
  const openPage = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    try {
      await identify(request);
    } catch (refused) {
      const address = signInAddress(request, refused);
      if (!address) throw refused;
      return void reply.redirect(address, 303);
    }
    await enter(request);
  };
  return (request, reply) => {
    request.routed = routed;
    if (form) request.form = form;
    if (page) return openPage(request, reply);
    const identified = identify(request);
    return identified instanceof Promise ? identified.then(() => enter(request)) : enter(request);
  };
}

const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+[ \t]*(?:;|$)/;

/** A route that takes bytes decides about content types itself. Fastify would refuse what is no media type, in the words of routes that take JSON only. */
function forgetNoType({ headers }: FastifyRequest): void {
  const type = headers['content-type'];
  if (type !== undefined && !MEDIA_TYPE.test(type)) delete headers['content-type'];
}
