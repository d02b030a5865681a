// A JSON schema of what an OpenAPI 3.1 document of ours may hold, written after OpenAPI 3.1.0 section 4.8; nothing that it does not name may be there.
const text = { type: 'string', minLength: 1 };
const object = (required: readonly string[], properties: Readonly<Record<string, object>>) => ({
  type: 'object',
  required,
  properties,
  patternProperties: { '^x-': true },
  additionalProperties: false,
});
const map = (of: object) => ({ type: 'object', additionalProperties: of });
const list = (of: object) => ({ type: 'array', items: of });
/** A schema object is JSON Schema 2020-12 (section 4.8.24). */
const schema = { $ref: 'https://json-schema.org/draft/2020-12/schema' };
const example = object([], { summary: text, description: text, value: true as never, externalValue: text });
const mediaType = object([], { schema, example: true as never, examples: map(example) });
/** A media type or a range of them (RFC 9110 section 8.3.1). */
const content = { ...map(mediaType), propertyNames: { pattern: '^[a-z]+/[a-z0-9.+*-]+(; ?[a-z]+=[^;]+)*$' } };

const parameter = {
  ...object(['name', 'in', 'schema'], {
    ...{ name: text, in: { enum: ['query', 'header', 'path', 'cookie'] }, description: text },
    ...{ required: { type: 'boolean' }, deprecated: { type: 'boolean' }, schema, example: true as never, examples: map(example) },
  }),
  if: { properties: { in: { const: 'path' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: { required: ['required'], properties: { required: { const: true } } },
};
const response = object(['description'], { description: text, content });
const operation = object(['operationId', 'responses'], {
  ...{ operationId: { type: 'string', pattern: '^[A-Za-z0-9_]+$' }, summary: text, description: text, deprecated: { type: 'boolean' } },
  ...{ tags: { ...list(text), uniqueItems: true }, parameters: list(parameter), security: list(map(list(text))) },
  requestBody: object(['content'], { description: text, required: { type: 'boolean' }, content: { ...content, minProperties: 1 } }),
  responses: { ...map(response), minProperties: 1, propertyNames: { pattern: '^([1-5][0-9]{2}|[1-5]XX|default)$' } },
});
const withBody = { put: operation, post: operation, delete: operation };
const withoutBody = { get: { ...operation, not: { required: ['requestBody'] } } };
const securityScheme = {
  oneOf: [
    object(['type', 'name', 'in'], { type: { const: 'apiKey' }, name: text, in: { enum: ['query', 'header', 'cookie'] }, description: text }),
    object(['type', 'scheme'], { type: { const: 'http' }, scheme: text, bearerFormat: text, description: text }),
    object(['type'], { type: { const: 'mutualTLS' }, description: text }),
  ],
};

export const OPENAPI_SCHEMA = object(['openapi', 'info', 'servers', 'tags', 'paths', 'components'], {
  openapi: { type: 'string', pattern: '^3\\.1\\.\\d+$' },
  info: object(['title', 'version'], { title: text, version: text, description: text }),
  servers: { ...list(object(['url'], { url: text, description: text })), minItems: 1 },
  tags: list(object(['name'], { name: text, description: text })),
  paths: { ...map(object([], { ...withBody, ...withoutBody })), propertyNames: { pattern: '^/' } },
  components: object([], { schemas: { ...map(schema), propertyNames: { pattern: '^[A-Za-z0-9._-]+$' } }, securitySchemes: map(securityScheme) }),
});
