// Completes the OpenAPI document with the parts that Fastify's generator leaves out: error bodies, groups, several content types of a body, examples.
import { spelled } from './openapi-spelling.ts';

/** Temporary members that `operationOf` sets and `finish` removes. */
export const OPTIONAL = 'x-body-optional';
export const TYPES = 'x-body-types';
export const EXAMPLES = 'x-body-examples';

const JSON_TYPE = 'application/json';
const PROBLEM_SCHEMA = {
  type: 'object',
  description: 'The body of every error.',
  properties: {
    code: { type: 'string', description: 'The code of the fault.' },
    message: { type: 'string' },
    errors: { type: 'array', items: { type: 'string' } },
    request_id: { type: 'string', format: 'uuid', description: 'The same ID as in the header X-Request-Id and in the log.' },
  },
  required: ['code', 'message', 'errors', 'request_id'],
};

interface MediaType {
  readonly schema?: object;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Operation {
  readonly tags: readonly string[];
  requestBody?: { required: boolean; content: Record<string, MediaType> };
  readonly responses: Record<string, { content?: object }>;
  [OPTIONAL]?: boolean;
  [TYPES]?: readonly string[];
  [EXAMPLES]?: Readonly<Record<string, unknown>>;
}

export interface OpenApiDocument {
  tags?: readonly { readonly name: string; readonly description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  readonly components: { schemas: Record<string, object> };
}

/** @param descriptions of the groups by tag, in the order of the document; groups without a description come last */
export function finish(document: OpenApiDocument, descriptions: Readonly<Record<string, string>>): OpenApiDocument {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const used = new Set(operations.flatMap(({ tags }) => tags));
  const described = Object.entries(descriptions).filter(([name]) => used.has(name));
  const silent = [...used].filter((name) => !(name in descriptions));
  document.tags = [...described.map(([name, description]) => ({ name, description })), ...silent.map((name) => ({ name }))];
  document.components.schemas['Problem'] = PROBLEM_SCHEMA;
  for (const operation of operations) {
    finishBody(operation);
    // A new object for each: a shared object would become a YAML alias, which some readers do not support.
    for (const [status, response] of Object.entries(operation.responses))
      if (Number(status) >= 400) response.content ??= { [JSON_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } };
  }
  document.paths = spelled(document.paths);
  return document;
}

function finishBody(operation: Operation): void {
  const { requestBody: body, [OPTIONAL]: optional, [TYPES]: types = [JSON_TYPE], [EXAMPLES]: examples = {} } = operation;
  for (const mark of [OPTIONAL, TYPES, EXAMPLES] as const) delete operation[mark];
  if (!body) return;
  if (optional) body.required = false;
  const json = body.content[JSON_TYPE] ?? {};
  body.content = Object.fromEntries(types.map((type) => [type, { ...schemaOf(type, json), ...examplesOf(type, examples) }]));
}

/** In OpenAPI 3.1 binary content has no schema. */
function schemaOf(type: string, json: MediaType): MediaType {
  if (isJson(type) || isForm(type)) return structuredClone(json);
  return isText(type) ? { schema: { type: 'string' } } : {};
}

function examplesOf(type: string, examples: Readonly<Record<string, unknown>>): MediaType {
  const fits = Object.entries(examples).filter(([, value]) => (typeof value === 'string' ? isText(type) : isJson(type)));
  return fits.length > 0 ? { examples: Object.fromEntries(fits.map(([name, value]) => [name, { value: structuredClone(value) }])) } : {};
}

export function isJson(type: string): boolean {
  return /^application\/(.+\+)?json\b/.test(type);
}

/** A form is described by the schema of its fields (OpenAPI 3.1 section 4.8.14.4). */
function isForm(type: string): boolean {
  return type === 'multipart/form-data' || type === 'application/x-www-form-urlencoded';
}

export function isText(type: string): boolean {
  return /^text\/|^application\/(.+\+)?xml\b/.test(type);
}
