// The OpenAPI document: it parses, holds every route, refers to what is there, and says of each how to be authorised.
import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import Type from 'typebox';
import { test } from 'uvu';
import { parse } from 'yaml';
import type { Route } from '../../../kernel/http/route.ts';
import { type AnyPlugin, definePlugin } from '../../../kernel/plugin.ts';
import { BUILT_IN } from '../../../plugins/index.ts';
import { startServer, type TestServer } from '../../server.ts';
import { OPENAPI_SCHEMA } from './openapi-schema.ts';

// covers: GET /openapi.yaml

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly tags: readonly string[];
  readonly security: readonly Record<string, readonly string[]>[];
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly required: boolean; readonly schema: object }[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Record<string, { readonly schema?: object; readonly examples?: Record<string, { readonly value: unknown }> }>;
  };
  readonly responses: Record<string, { readonly description: string; readonly content?: Record<string, { schema: object }> }>;
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly securitySchemes: Record<string, { readonly type: string }>; readonly schemas: Record<string, object> };
}

/** Routes of every form that a plugin may declare. */
const forms = definePlugin({
  name: 'forms',
  config: Type.Object({}, { default: {} }),
  tags: { forms: 'of the test', unused: 'no route is in it', Server: 'not the first word on it' },
  routes: () => [
    {
      method: 'PUT',
      path: '/forms/{form_id}/parts/{part}',
      auth: ['app-token', 'certificate', 'authorization'],
      query: Type.Object({ size: Type.Optional(Type.Integer()) }),
      body: Type.Object({ a: Type.Union([Type.String(), Type.Null()]) }),
      summary: 'Put a part',
      tag: 'forms',
      responses: { 204: { description: 'done' }, 409: { description: 'there is one' } },
      handle: ({ body, query }) => ({ status: 200, body: { body, query, extra: 1 } }),
    },
    { method: 'GET', path: '/forms/page', auth: ['cookie'], page: true, handle: () => ({ status: 200 }) },
    {
      method: 'POST',
      path: '/forms',
      auth: 'none',
      body: Type.Object({
        a: Type.Integer(),
        name: Type.Optional(Type.String({ format: 'name', description: 'who it is' })),
        data: Type.Optional(Type.Unsafe({ 'x-max-bytes': 8, description: 'anything' })),
        more: Type.Optional(Type.Unsafe({ 'x-max-bytes': 9 })),
      }),
      responses: { 200: { description: 'narrow', schema: Type.Object({ kept: Type.Integer() }) } },
      handle: () => ({ status: 200, body: { kept: 'not an integer', unnamed: 1 } }),
    },
    {
      method: 'POST',
      path: '/forms/raw',
      auth: 'none',
      rawBody: true,
      body: Type.Object({ tag: Type.String() }),
      bodyTypes: ['application/json', 'text/xml', 'application/octet-stream'],
      bodyExamples: { query: { tag: 'Query' }, 'query in XML': '<Query/>' },
      handle: () => ({ status: 204 }),
    },
  ],
});

/** As the plugins gave them to the kernel. */
const declared: Route[] = [];
const noting = (plugin: AnyPlugin): AnyPlugin => ({
  ...plugin,
  routes: (ctx) => {
    const routes = plugin.routes?.(ctx) ?? [];
    declared.push(...routes);
    return routes;
  },
});

let server: TestServer;
let document: Document;
test.before(async () => {
  server = await startServer({ plugins: [...BUILT_IN, forms].map((plugin) => noting(plugin as AnyPlugin)) });
  document = parse((await server.ask('GET', '/openapi.yaml')).text) as Document;
});
test.after(() => server?.end());

const operations = () => Object.entries(document.paths).flatMap(([path, item]) => Object.entries(item).map(([method, value]) => ({ path, method, ...value })));

test('the document is public, YAML, OpenAPI 3.1, and revalidated: 304 if it has not changed', async () => {
  const { status, headers, text } = await server.ask('GET', '/openapi.yaml', { cookie: 'nonsense' });
  assert.doesNotMatch(text, / [&*]a\d/, 'no aliases');
  assert.deepEqual([status, headers['content-type'], headers['cache-control']], [200, 'application/yaml', 'no-cache']);
  assert.deepEqual([document.openapi, document.info.title, document.info.version], ['3.1.0', 'gatehouse', '0.0.0-test']);
  for (const known of [String(headers['etag']), '*'])
    assert.equal((await server.ask('GET', '/openapi.yaml', { headers: { 'if-none-match': known } })).status, 304);
  const other = await server.ask('POST', '/openapi.yaml', { body: {} });
  assert.deepEqual([other.status, other.headers['allow']], [405, 'GET, HEAD']);
});

test('it is valid OpenAPI 3.1, and every schema in it valid JSON Schema 2020-12', () => {
  const validate = new Ajv2020({ allErrors: true, strict: false }).compile(OPENAPI_SCHEMA);
  const problems = (value: unknown) => (validate(value) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`));
  assert.deepEqual(problems(document), []);
  // The check sees what is wrong.
  const broken = structuredClone(document) as unknown as { paths: Record<string, Record<string, Record<string, unknown>>> };
  Object.assign(broken.paths['/whoami']?.['get'] as object, { requestBody: { content: {} }, sumary: 'x' });
  assert.ok(problems(broken).length >= 2);
});

test('the parameters of a path are those that it names, each once', () => {
  for (const { path, method, parameters = [] } of operations()) {
    const named = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
    const told = parameters.filter((each) => each.in === 'path').map(({ name }) => name);
    assert.deepEqual(told.sort(), named.sort(), `${method} ${path}`);
  }
});

test('it names its server, and every group that is used with words about it', () => {
  assert.deepEqual(
    document.servers.map(({ url }) => url),
    ['/'],
  );
  const groups = new Map(document.tags.map(({ name, description }) => [name, description]));
  assert.deepEqual([...groups.keys()].sort(), [...new Set(operations().flatMap(({ tags }) => tags))].sort());
  assert.deepEqual([groups.get('forms'), groups.has('unused'), groups.get('Server') === 'not the first word on it'], ['of the test', false, false]);
  for (const [name, description] of groups) assert.ok(description || name === 'other', name);
});

test('the groups that the specification names hold their endpoints', () => {
  const groupOf = (path: string) => document.paths[path]?.['get']?.tags;
  for (const path of ['/health', '/ready', '/version', '/metrics']) assert.deepEqual(groupOf(path), ['Server'], path);
  assert.deepEqual(groupOf('/hsm/status'), ['HSM']);
  for (const path of ['/download/openapi.yaml', '/download/ca.crt']) assert.deepEqual(groupOf(path), ['Download'], path);
});

test('a raw body is described in each content type with fitting examples; JSON examples fit the schema', () => {
  const schema = { type: 'object', properties: { tag: { type: 'string' } }, required: ['tag'] };
  assert.deepEqual(document.paths['/forms/raw']?.['post']?.requestBody?.content, {
    'application/json': { schema, examples: { query: { value: { tag: 'Query' } } } },
    'text/xml': { schema: { type: 'string' }, examples: { 'query in XML': { value: '<Query/>' } } },
    'application/octet-stream': {},
  });
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  let checked = 0;
  for (const { operationId, requestBody } of operations()) {
    const json = requestBody?.content['application/json'];
    for (const [name, { value }] of Object.entries(json?.examples ?? {})) {
      // References of the schema lead into the document.
      assert.ok(ajv.validate({ ...json?.schema, components: document.components }, value), `${operationId} ${name}: ${ajv.errorsText()}`);
      checked += 1;
    }
  }
  assert.ok(checked > 8);
});

test('it lists every route of plugins and kernel except the files that pages load, and no other', () => {
  const files = declared.filter(({ asset }) => asset);
  assert.ok(files.length > 8);
  for (const { method, path } of files) assert.ok(method === 'GET' && /\.(css|js|svg)$/.test(path), path);
  assert.deepEqual(
    operations().filter(({ path }) => /\.(css|js|svg|html)$/.test(path)),
    [],
  );
  const wanted = [
    ...declared.filter(({ asset }) => !asset).map(({ method, path }) => `${method} ${path}`),
    ...['/health', '/ready', '/metrics', '/version', '/openapi.yaml'].map((path) => `GET ${path}`),
  ];
  assert.deepEqual(
    operations()
      .map(({ method, path }) => `${method.toUpperCase()} ${path}`)
      .sort(),
    wanted.sort(),
  );
});

test('operation ids are distinct; each operation of ours has a summary, a group and answers in words', () => {
  const ids = operations().map(({ operationId }) => operationId);
  assert.equal(new Set(ids).size, ids.length);
  for (const { operationId, path, summary, tags, responses } of operations()) {
    if (!path.startsWith('/forms')) assert.ok(summary && tags[0] !== 'other', operationId);
    for (const [status, { description }] of Object.entries(responses)) assert.ok(description !== 'Default Response', `${operationId} ${status}`);
  }
});

test('every reference and every security scheme leads somewhere', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] as string);
  assert.ok(references.length > 0);
  for (const reference of new Set(references)) {
    assert.ok(reference.startsWith('#/'), reference);
    const at = reference.slice(2).split('/');
    const found = at.reduce<unknown>(
      (value, key) => (value as Record<string, unknown> | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    );
    assert.ok(found, reference);
  }
  for (const { operationId, security } of operations())
    for (const scheme of security.flatMap((each) => Object.keys(each))) assert.ok(document.components.securitySchemes[scheme], `${operationId} ${scheme}`);
});

test('parameters, bodies, security and refusals follow from the declaration', () => {
  const put = document.paths['/forms/{form_id}/parts/{part}']?.['put'] as Operation;
  assert.deepEqual(put.parameters?.map(({ in: where, name, required }) => `${where} ${name} ${required}`).sort(), [
    'path form_id true',
    'path part true',
    'query size false',
  ]);
  assert.deepEqual(put.security, [{ appToken: [] }, { clientCertificate: [] }, { bearer: [] }]);
  assert.deepEqual(Object.keys(put.responses), ['204', '400', '401', '403', '404', '408', '409', '413', '415', '417', '431', '500', '503', '504']);
  assert.equal(put.responses['204']?.content, undefined);
  assert.deepEqual(put.responses['409']?.content, { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } });
  assert.equal(put.requestBody?.required, true);
  assert.deepEqual(Object.keys(document.paths['/forms/page']?.['get']?.responses ?? {}), [
    '200',
    '303',
    '400',
    '401',
    '403',
    '408',
    '417',
    '431',
    '500',
    '503',
    '504',
  ]);
  const login = document.paths['/login']?.['post'] as Operation;
  assert.deepEqual([login.security, login.requestBody?.required], [[{ basic: [] }, { bearer: [] }, { clientCertificate: [] }], false]);
  const health = document.paths['/health']?.['get'] as Operation;
  assert.deepEqual([health.security, Object.keys(health.responses)], [[], ['200', '400', '408', '417', '431', '500', '503', '504']]);
});

test('our own keywords are told in words as well, and a problem by its members', () => {
  const schema = document.paths['/forms']?.['post']?.requestBody?.content['application/json']?.schema as { properties: object } | undefined;
  assert.deepEqual(schema?.properties, {
    a: { type: 'integer' },
    name: { type: 'string', maxLength: 255, description: 'who it is; at most 255 characters in the composed form (NFC)' },
    data: { 'x-max-bytes': 8, description: 'anything; at most 8 bytes as compact JSON in UTF-8' },
    more: { 'x-max-bytes': 9, description: 'at most 9 bytes as compact JSON in UTF-8' },
  });
  const { properties, required } = document.components.schemas['Problem'] as {
    properties: Record<string, { type: string; format?: string }>;
    required: string[];
  };
  assert.deepEqual(
    [Object.keys(properties), required],
    [
      ['code', 'message', 'errors', 'request_id'],
      ['code', 'message', 'errors', 'request_id'],
    ],
  );
  assert.deepEqual([properties['request_id']?.type, properties['request_id']?.format], ['string', 'uuid']);
});

test('the document has no effect on requests: bodies are checked and answers are written as before', async () => {
  const { status, body } = await server.ask('POST', '/forms', { body: { a: 1 } });
  assert.deepEqual([status, body], [200, { kept: 'not an integer', unnamed: 1 }]);
  assert.deepEqual((await server.ask('POST', '/forms', { body: { a: '1' } })).body.errors, ['body/a: must be integer']);
});

test.run();
