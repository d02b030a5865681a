// The OpenAPI document: it parses, holds every route, refers to what is there, and says of each how to be authorised.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import Type from 'typebox';
import { test } from 'uvu';
import type { Route } from '../../../kernel/http/route.ts';
import { type AnyPlugin, definePlugin } from '../../../kernel/plugin.ts';
import { BUILT_IN } from '../../../plugins/index.ts';
import { startServer, type TestServer } from '../../server.ts';

// covers: GET /openapi.yaml

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly tags: readonly string[];
  readonly security: readonly Record<string, readonly string[]>[];
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly required: boolean; readonly schema: object }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Record<string, { schema: object }> };
  readonly responses: Record<string, { readonly description: string; readonly content?: Record<string, { schema: object }> }>;
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly securitySchemes: Record<string, { readonly type: string }>; readonly schemas: Record<string, object> };
}

/** The parser that the document's writer uses; the product declares none. */
const writer = createRequire(createRequire(import.meta.url).resolve('@fastify/swagger'));
const { parse } = writer('yaml') as { parse(text: string): unknown };

/** Routes of every form that a plugin may declare. */
const forms = definePlugin({
  name: 'forms',
  config: Type.Object({}, { default: {} }),
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
      body: Type.Object({ a: Type.Integer() }),
      responses: { 200: { description: 'narrow', schema: Type.Object({ kept: Type.Integer() }) } },
      handle: () => ({ status: 200, body: { kept: 'not an integer', unnamed: 1 } }),
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

test('it is open, YAML, version 3.1, and asked for anew: 304 where it is known', async () => {
  const { status, headers, text } = await server.ask('GET', '/openapi.yaml', { cookie: 'nonsense' });
  assert.doesNotMatch(text, / [&*]a\d/, 'no aliases');
  assert.deepEqual([status, headers['content-type'], headers['cache-control']], [200, 'application/yaml', 'no-cache']);
  assert.deepEqual([document.openapi, document.info.title, document.info.version], ['3.1.0', 'gatehouse', '0.0.0-test']);
  assert.equal((await server.ask('GET', '/openapi.yaml', { headers: { 'if-none-match': String(headers['etag']) } })).status, 304);
  const other = await server.ask('POST', '/openapi.yaml', { body: {} });
  assert.deepEqual([other.status, other.headers['allow']], [405, 'GET, HEAD']);
});

test('every route of every plugin and of the kernel is in it, and no other', () => {
  const wanted = [
    ...declared.map(({ method, path }) => `${method} ${path}`),
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
  assert.deepEqual(Object.keys(put.responses), ['204', '400', '401', '403', '409', '500']);
  assert.equal(put.responses['204']?.content, undefined);
  assert.deepEqual(put.responses['409']?.content, { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } });
  assert.equal(put.requestBody?.required, true);
  assert.deepEqual(Object.keys(document.paths['/forms/page']?.['get']?.responses ?? {}), ['200', '303', '401', '403', '500']);
  const login = document.paths['/login']?.['post'] as Operation;
  assert.deepEqual([login.security, login.requestBody?.required], [[{ basic: [] }, { bearer: [] }, { clientCertificate: [] }], false]);
  assert.deepEqual(document.paths['/health']?.['get']?.security, []);
});

test('the document changes nothing: bodies are checked and answers written as before', async () => {
  const { status, body } = await server.ask('POST', '/forms', { body: { a: 1 } });
  assert.deepEqual([status, body], [200, { kept: 'not an integer', unnamed: 1 }]);
  assert.deepEqual((await server.ask('POST', '/forms', { body: { a: '1' } })).body.errors, ['body/a: must be integer']);
});

test.run();
