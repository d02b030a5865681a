// The OpenAPI document of every route, derived from what the routes declare, and its address /openapi.yaml.
import { hash } from 'node:crypto';
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import type { CredentialKind } from './credential.ts';
import type { ResponseDescription, Route, SecurityScheme } from './route.ts';

export const OPENAPI_PATH = '/openapi.yaml';

/** What the document needs of a route; the kernel's own are described in the same words. */
export type Described = Pick<Route, 'method' | 'path' | 'auth'> & Partial<Omit<Route, 'method' | 'path' | 'auth' | 'handle' | 'admit'>>;

const PROBLEM_SCHEMA = {
  type: 'object',
  description: 'What every error answers.',
  properties: {
    code: { type: 'string', description: 'A row of the fault table.' },
    message: { type: 'string' },
    errors: { type: 'array', items: { type: 'string' } },
    request_id: { type: 'string', format: 'uuid', description: 'Also in the header X-Request-Id, and in the log.' },
  },
  required: ['code', 'message', 'errors', 'request_id'],
};

const SECURITY_SCHEMES: Readonly<Record<SecurityScheme, object>> = {
  basic: { type: 'http', scheme: 'basic', description: 'User and password, at the sign-in only.' },
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  session: { type: 'apiKey', in: 'cookie', name: '_ea_' },
  appToken: { type: 'apiKey', in: 'header', name: 'X-App-Token' },
  clientCertificate: { type: 'mutualTLS', description: 'A client certificate in the TLS handshake.' },
};

const SCHEME_OF: Readonly<Record<CredentialKind, SecurityScheme>> = {
  authorization: 'bearer',
  'app-token': 'appToken',
  cookie: 'session',
  certificate: 'clientCertificate',
};

/** Has to be there before the first route is added. */
export async function addOpenApi(app: FastifyInstance, version: string): Promise<void> {
  // The schemas given to Fastify are for the document; bodies and queries are checked, and answers written, by serve-route.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'gatehouse', version, description: 'Authentication, key management and AI behind one server.' },
      components: { securitySchemes: SECURITY_SCHEMES as never },
    },
    transformObject: (document) => withProblems((document as { openapiObject: OpenApiDocument }).openapiObject) as never,
  });
  const own: Described = {
    method: 'GET',
    path: OPENAPI_PATH,
    auth: 'none',
    tag: 'operations',
    summary: 'This document',
    responses: { 200: { description: 'OpenAPI 3.1', type: 'application/yaml', schema: { type: 'string' } } },
  };
  let made: { readonly text: string; readonly etag: string } | undefined;
  app.get(OPENAPI_PATH, { schema: operationOf(own) }, async (request, reply) => {
    made ??= documentOf(app);
    void reply.headers({ 'cache-control': 'no-cache', etag: made.etag });
    if (request.headers['if-none-match']?.includes(made.etag)) return reply.code(304).send();
    return reply.type('application/yaml').send(made.text);
  });
}

function documentOf(app: FastifyInstance): { text: string; etag: string } {
  const text = app.swagger({ yaml: true });
  return { text, etag: `"${hash('sha256', text, 'base64url').slice(0, 22)}"` };
}

/** For the document only. */
export function operationOf(route: Described): FastifySchema {
  const { method, path, query, body, bodyOptional, summary, tag } = route;
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] as string);
  const operation: Record<string, unknown> = {
    operationId: operationId(method, path),
    summary,
    tags: [tag ?? 'other'],
    security: securityOf(route),
    ...(names.length > 0 ? { params: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) } } : {}),
    ...(query ? { querystring: query } : {}),
    ...(body ? { body } : {}),
    ...(bodyOptional ? { [OPTIONAL]: true } : {}),
    response: responsesOf(route),
  };
  return operation as FastifySchema;
}

/** `POST /sessions/realms/{realm_id}/clients` is postSessionsRealmsRealmIdClients. */
function operationId(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function securityOf({ auth, security }: Described): readonly Partial<Record<SecurityScheme, readonly string[]>>[] {
  const schemes = security ?? (auth === 'none' ? [] : auth.map((kind) => SCHEME_OF[kind]));
  return schemes.map((scheme) => ({ [scheme]: [] }));
}

/** What a route says of its answers, and the refusals that follow from what it declares. */
function responsesOf({ auth, page, body, rawBody, query, responses }: Described): Readonly<Record<string, object>> {
  const described: Record<string, ResponseDescription> = {
    ...(page ? { 303: { description: 'to the sign-in page' } } : {}),
    ...((body && !rawBody) || query ? { 400: { description: 'the request is malformed' } } : {}),
    ...(auth === 'none' ? {} : { 401: { description: 'authentication is required' } }),
    ...(auth === 'none' ? {} : { 403: { description: 'not allowed' } }),
    500: { description: 'internal error' },
    ...(responses ?? { 200: { description: 'success' } }),
  };
  const entries = Object.entries(described).map(([status, { description, schema, type = 'application/json' }]) => [
    status,
    schema ? { description, content: { [type]: { schema } } } : { description, type: 'null' },
  ]);
  return Object.fromEntries(entries);
}

const OPTIONAL = 'x-body-optional';

interface Operation {
  requestBody?: { required: boolean };
  readonly responses: Record<string, { content?: object }>;
  [OPTIONAL]?: boolean;
}

interface OpenApiDocument {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { schemas: Record<string, object> };
}

/** Every refusal has the same body, and an optional body is said to be one. */
function withProblems(document: OpenApiDocument): OpenApiDocument {
  document.components.schemas['Problem'] = PROBLEM_SCHEMA;
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    if (operation.requestBody && operation[OPTIONAL]) operation.requestBody.required = false;
    delete operation[OPTIONAL];
    // An object each: one that is shared would become an alias, which not every reader of YAML knows.
    for (const [status, response] of Object.entries(operation.responses))
      if (Number(status) >= 400) response.content ??= { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } };
  }
  return document;
}
