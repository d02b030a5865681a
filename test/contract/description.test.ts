// What the OpenAPI document says of requests and refusals holds for every route: members that must be there, statuses, names that are lists elsewhere.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'uvu';
import { rightOf } from '../../actors/kmip/object/grants.ts';
import { OPERATION_NAMES } from '../../kmip/operation-name.ts';
import { signInAdmin } from '../server.ts';
import { filled, nameOf, type RoutedServer, startRoutedServer } from './route-table.ts';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly default?: unknown;
  readonly maxLength?: number;
}

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }>>;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
}

let server: RoutedServer;
let cookie: string;
let paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
test.before(async () => {
  server = await startRoutedServer();
  cookie = await signInAdmin(server);
  assert.equal((await server.ask('POST', '/admins/realms', { cookie, body: { id: 'some' } })).status, 201);
  const { parse } = createRequire(createRequire(import.meta.url).resolve('@fastify/swagger'))('yaml') as { parse(text: string): { paths: typeof paths } };
  paths = parse((await server.ask('GET', '/openapi.yaml')).text).paths;
});
test.after(() => server?.end());

const answerOf = (method: string, path: string) => operationOf(method, path)?.responses[200]?.content?.['application/json']?.schema;
const operationOf = (method: string, path: string) => paths[path]?.[method.toLowerCase()];
const withBodies = () => server.routes.filter(({ body, rawBody, auth }) => body && !rawBody && auth !== 'none');

test('an empty body lacks what the document says is required, and nothing else', async () => {
  assert.ok(withBodies().length >= 20);
  for (const route of withBodies()) {
    const schema = operationOf(route.method, route.path)?.requestBody?.content['application/json']?.schema;
    if (!schema?.properties) continue;
    const address = filled(route.path, (name) => (name === 'session_id' ? 'none' : 'some'));
    const { status, body } = await server.ask(route.method, address, { cookie, body: {} });
    const missing = status === 400 ? (body.errors as string[]).flatMap((error) => /^body\/(\w+): is missing$/.exec(error)?.[1] ?? []) : [];
    assert.deepEqual(missing.sort(), [...(schema.required ?? [])].sort(), nameOf(route));
  }
});

test('an answer of the JOSE API has no member that is not described, and none longer than that', async () => {
  const described = (path: string) => answerOf('post', path)?.properties ?? {};
  const ask = async (path: string, body: unknown) => {
    const answer = await server.ask('POST', path, { cookie, body });
    assert.equal(answer.status, 200, answer.text);
    for (const [member, value] of Object.entries(answer.body)) {
      const { maxLength } = described(path)[member] ?? assert.fail(`${path} ${member}`);
      if (typeof value === 'string') assert.ok(value.length <= (maxLength ?? Number.POSITIVE_INFINITY), `${path} ${member}: ${value.length}`);
    }
    return answer.body;
  };
  const pairs = [{ kty: 'RSA' }, { kty: 'EC', crv: 'P-521' }, { kty: 'OKP', crv: 'Ed25519' }, { kty: 'AKP', alg: 'ML-DSA-87' }];
  for (const pair of pairs) await ask('/v1/crypto/keys', pair);
  const { kid } = await ask('/v1/crypto/keys', { kty: 'oct', alg: 'A256GCM' });
  const data = Buffer.alloc(20_000).toString('base64url');
  const sealed = await ask('/v1/crypto/encrypt', { kid, alg: 'dir', enc: 'A256GCM', data });
  assert.equal((await ask('/v1/crypto/decrypt', sealed)).data, data);
});

test('nothing is required that has a default', () => {
  const wrong: string[] = [];
  const look = (schema: Schema | undefined, at: string): void => {
    for (const name of schema?.required ?? []) if (schema?.properties?.[name] && 'default' in schema.properties[name]) wrong.push(`${at}/${name}`);
    for (const [name, part] of Object.entries(schema?.properties ?? {})) look(part, `${at}/${name}`);
    for (const part of schema?.anyOf ?? []) look(part, at);
  };
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { requestBody }] of Object.entries(operations))
      for (const { schema } of Object.values(requestBody?.content ?? {})) look(schema, `${method} ${path}`);
  assert.deepEqual(wrong, []);
});

test('every operation lists the statuses of all requests, and those of its credentials, path and body', () => {
  for (const { method, path, auth, admit, form } of server.routes.filter(({ asset }) => !asset)) {
    const documented = Object.keys(operationOf(method, path)?.responses ?? {});
    const wanted = [
      ...['400', '408', '431', '500', '503', '504'],
      ...(auth === 'none' ? [] : ['401', '403']),
      ...(path.includes('{') ? ['404'] : []),
      ...(method === 'GET' ? [] : ['413']),
      ...(admit && method === 'POST' && path.endsWith('/login') ? ['429'] : []),
    ];
    assert.deepEqual(
      wanted.map((status) => String(form?.status(Number(status)) ?? status)).filter((status) => !documented.includes(status)),
      [],
      `${method} ${path}`,
    );
  }
});

test('a status that HTTP has no content for is described without it', () => {
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.entries(responses).map(([status, response]) => ({ name: `${method} ${path} ${status}`, status, response })),
    ),
  );
  const bodiless = described.filter(({ status }) => status.startsWith('1') || ['204', '205', '304'].includes(status));
  assert.ok(bodiless.length >= 20, `${bodiless.length}`);
  assert.deepEqual(
    bodiless.filter(({ response }) => 'content' in (response as object)).map(({ name }) => name),
    [],
  );
});

test('names in the document are those that the key server knows', () => {
  // In any spelling they are the same right.
  for (const name of OPERATION_NAMES) assert.equal(rightOf(name.replaceAll('_', ' ').toUpperCase()), name.toLowerCase());
});

test.run();
