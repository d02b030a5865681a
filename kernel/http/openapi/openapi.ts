// Generates the OpenAPI document from the declarations of the routes, and serves it at /openapi.yaml.
import { hash } from 'node:crypto';
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { stringify } from 'yaml';
import { isKnown } from '../answer/is-known.ts';
import type { CredentialKind } from '../caller/credential.ts';
import { parametersOf } from '../parameters.ts';
import type { Route, SecurityScheme } from '../route.ts';
import { EXAMPLES, finish, OPTIONAL, type OpenApiDocument, TYPES } from './openapi-document.ts';
import { responsesOf } from './openapi-responses.ts';
import { asSent } from './openapi-schema.ts';

export const OPENAPI_PATH = '/openapi.yaml';
export const SERVER_TAG = 'Server';

const ABOUT =
  'Authentication, key management and anonymization in one server. For a method that is not listed, a path returns 405 with the header Allow. HEAD works wherever GET does.';

/** Groups of the kernel's own routes. Plugins may add routes to them. */
const TAGS: Readonly<Record<string, string>> = {
  [SERVER_TAG]: 'Health, metrics and version of the server.',
  Documentation: 'The description of this interface.',
};

export interface DocumentText {
  /** UTF-8. All answers share these bytes: do not change them. */
  readonly bytes: Uint8Array;
  readonly etag: string;
}

export interface OpenApiOptions {
  /** Version of gatehouse. */
  readonly version: string;
  /** Descriptions of the groups of routes, by tag. */
  readonly tags: Readonly<Record<string, string>>;
}

/** The part of a route that the document needs. The kernel describes its own routes in the same form. */
export type Described = Pick<Route, 'method' | 'path' | 'auth'> & Partial<Omit<Route, 'method' | 'path' | 'auth' | 'handle'>>;

const SECURITY_SCHEMES: Readonly<Record<Exclude<SecurityScheme, 'none'>, object>> = {
  basic: { type: 'http', scheme: 'basic', description: 'User name and password, for signing in only.' },
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  session: { type: 'apiKey', in: 'cookie', name: '_ea_' },
  appToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-App-Token',
    description: 'X-Vault-Token is another name for it. If a request has both, they must be equal.',
  },
  vaultToken: { type: 'apiKey', in: 'header', name: 'X-Vault-Token', description: 'Another name for X-App-Token.' },
  clientCertificate: { type: 'mutualTLS', description: 'A client certificate in the TLS handshake.' },
};

const SCHEME_OF: Readonly<Record<CredentialKind, SecurityScheme>> = {
  authorization: 'bearer',
  'app-token': 'appToken',
  cookie: 'session',
  certificate: 'clientCertificate',
};

/** Call it before the first route is added. @returns a function that gives the text of the document; call that when all routes are added */
export async function addOpenApi(app: FastifyInstance, { version, tags }: OpenApiOptions): Promise<(format: 'yaml' | 'json') => DocumentText> {
  // Fastify gets schemas for the document only. serve-route.ts checks requests and writes answers.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'gatehouse', version, description: ABOUT },
      servers: [{ url: '/', description: 'The server that this document comes from.' }],
      components: { securitySchemes: SECURITY_SCHEMES as never },
    },
    transformObject: (document) => finish((document as unknown as { openapiObject: OpenApiDocument }).openapiObject, { ...tags, ...TAGS }) as never,
  });
  const own: Described = {
    method: 'GET',
    path: OPENAPI_PATH,
    auth: 'none',
    tag: 'Documentation',
    summary: 'Get this document',
    responses: { 200: { description: 'OpenAPI 3.1', type: 'application/yaml', schema: { type: 'object' } } },
  };
  const made: { yaml?: DocumentText; json?: DocumentText } = {};
  const text = (format: 'yaml' | 'json') => (made[format] ??= documentOf(app, format));
  app.get(OPENAPI_PATH, { schema: operationOf(own) }, async (request, reply) => {
    const document = text('yaml');
    void reply.headers({ 'cache-control': 'no-cache', etag: document.etag });
    if (isKnown(request.headers['if-none-match'], document.etag)) return reply.code(304).send();
    return reply.type('application/yaml').send(document.bytes);
  });
  return text;
}

function documentOf(app: FastifyInstance, format: 'yaml' | 'json'): DocumentText {
  const document = app.swagger();
  // Readers of YAML 1.1, such as PyYAML, take a time without quotes for a time, and `no` for false.
  const text = format === 'yaml' ? stringify(document, { compat: 'yaml-1.1', aliasDuplicateObjects: false }) : JSON.stringify(document);
  return { bytes: Buffer.from(text), etag: `"${hash('sha256', text, 'base64url').slice(0, 22)}"` };
}

/** @returns the schema of a route for Fastify; it serves the document only */
export function operationOf(route: Described): FastifySchema {
  const { method, path, query, body, bodyOptional, bodyTypes, bodyExamples, summary, tag } = route;
  if (route.asset) return { hide: true } as FastifySchema;
  const params = parametersOf(route);
  const operation: Record<string, unknown> = {
    operationId: operationId(method, path),
    summary,
    tags: [tag ?? 'other'],
    security: securityOf(route),
    ...(params ? { params: asSent(params) } : {}),
    ...(query ? { querystring: asSent(query) } : {}),
    ...(body ? { body: asSent(route.nullIsNone ? { anyOf: [body, { type: 'null' }] } : body) } : {}),
    ...(bodyOptional ? { [OPTIONAL]: true } : {}),
    ...(bodyTypes ? { [TYPES]: bodyTypes } : {}),
    ...(bodyExamples ? { [EXAMPLES]: bodyExamples } : {}),
    response: responsesOf(route),
  };
  return operation as FastifySchema;
}

/** `POST /sessions/realms/{realm_id}/clients` is postSessionsRealmsRealmIdClients. */
function operationId(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function securityOf({ auth, security }: Described): readonly Partial<Record<string, readonly string[]>>[] {
  const schemes = security ?? (auth === 'none' ? [] : auth.map((kind) => SCHEME_OF[kind]));
  return schemes.map((scheme) => (scheme === 'none' ? {} : { [scheme]: [] }));
}
