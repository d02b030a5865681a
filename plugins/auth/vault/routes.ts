// The routes below /auth in the form of Vault and OpenBao: below /v1, with more methods, in their envelope, with their errors.
import type { TSchema } from 'typebox';
import type { Method, Request, ResponseDescription, Route, SecurityScheme } from '../../../kernel/http/route.ts';
import { describeRoutes } from '../about.ts';
import type { AuthContext } from '../actors.ts';
import { ignoredMembers } from '../ignored-members.ts';
import { envelopeOf, putInEnvelope, VAULT_ERRORS, VAULT_TAG, WARNED } from './form.ts';
import { sealRoutes } from './seal.ts';
import { REFUSALS, refuseUnserved } from './unserved.ts';

/** Parts of paths that these clients name differently; this server's own name works as well. */
const OTHER_NAMES: readonly (readonly [string, string])[] = [
  ['/auth/cluster/', '/auth/kubernetes/'],
  ['/secret-id/destroy', '/secret-id-accessor/destroy'],
];

export function vaultRoutes(ctx: AuthContext, routes: readonly Route[]): readonly Route[] {
  // Skip PUT: such a route also exists with POST, which gets a PUT alias below.
  const own = describeRoutes(routes).filter(({ method }) => method !== 'PUT');
  const aliases = own.flatMap((route) => pathsOf(route.path).flatMap((path) => methodsOf(route.method).map((method) => alias(route, method, path))));
  return [...aliases, ...sealRoutes(ctx)];
}

function pathsOf(path: string): readonly string[] {
  const others = OTHER_NAMES.filter(([ours]) => `${path}/`.includes(ours)).map(([ours, theirs]) => path.replace(ours, theirs));
  return [path, ...others].map((each) => `/v1${each}`);
}

/** These clients write with either method. */
function methodsOf(method: Method): readonly Method[] {
  return method === 'POST' ? ['POST', 'PUT'] : [method];
}

function alias(route: Route, method: Method, path: string): Route {
  const { admit, handle, bodyOptional, rawBody, responses = {}, security } = route;
  const body = rawBody ? undefined : route.body;
  const answers = { ...(body && 204 in responses && { 200: WARNED }), ...responses };
  return {
    ...route,
    method,
    path,
    tag: VAULT_TAG,
    form: VAULT_ERRORS,
    responses: { ...REFUSALS, ...Object.fromEntries(Object.entries(answers).map(([status, each]) => [status, describe(Number(status), each)])) },
    ...(security ? { security: security.map(nameScheme) } : {}),
    // They send JSON without its content type, and null for an empty body.
    ...(body ? { anyContentType: true } : {}),
    ...(bodyOptional ? { nullIsNone: true } : {}),
    admit(address, headers) {
      refuseUnserved(headers);
      return admit?.(address, headers);
    },
    handle: async (request) => putInEnvelope(request, await handle(request), body ? warningsOf(body, request) : null),
  };
}

function warningsOf(schema: TSchema, { body }: Request): readonly string[] | null {
  const ignored = ignoredMembers(schema, body);
  return ignored === undefined ? null : [`the server ignored these members, which have no effect: ${ignored}`];
}

function describe(status: number, description: ResponseDescription): ResponseDescription {
  return status < 400 ? envelopeOf(description) : description;
}

function nameScheme(scheme: SecurityScheme): SecurityScheme {
  return scheme === 'appToken' ? 'vaultToken' : scheme;
}
