// Every endpoint of the specification has a route, documents its statuses, and is named by a test: in a title, or after `// covers:`.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { startServer } from '../server.ts';
import { type Endpoint, specEndpoints, specErrorCodes } from './spec-endpoints.ts';

interface Entry extends Endpoint {
  /** Of the Errors part, what applies although the endpoint's own row does not say it. */
  readonly errors: readonly number[];
  /** Of the specification, without its suffix; auth-service where nothing is said, decisions for what it leaves open. */
  readonly document?: string;
  /** One of the paths that it stands for, where each has a route of its own. */
  readonly as?: string;
  /** There is no route today; the mark goes with the first. */
  readonly notYet?: true;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const entries = JSON.parse(readFileSync(new URL('endpoints.json', import.meta.url), 'utf8')) as Entry[];
const nameOf = ({ method, path }: Entry) => `${method} ${path}`;

type Operations = Record<string, Record<string, { readonly responses: Record<string, unknown> }>>;

/** From the document of a running server, which is made of its real routes. */
async function operations(): Promise<Operations> {
  const { parse } = createRequire(createRequire(import.meta.url).resolve('@fastify/swagger'))('yaml') as { parse(text: string): { paths: Operations } };
  const server = await startServer();
  const { text } = await server.ask('GET', '/openapi.yaml');
  await server.end();
  return parse(text).paths;
}

const paths = await operations();
const routeOf = ({ method, path, as = path }: Entry) => paths[as]?.[method.toLowerCase()];

/** What the titles and the marks of all tests name. */
const named = globSync('test/**/*.test.ts', { cwd: root })
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .flatMap((text) => [...text.matchAll(/^\s*\/\/ covers: .*$|\btest\([^'"`]*(['"`]).*?\1/gm)].map(([match]) => match))
  .join('\n');

function isNamed({ method, path }: Entry): boolean {
  const literal = `${method} ${path}`.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`${literal}(?![\\w/{.-])`).test(named);
}

test('each entry is there once', () => {
  assert.ok(entries.length >= 47);
  assert.equal(new Set(entries.map(nameOf)).size, entries.length);
});

test('every endpoint has a route, except those marked notYet', () => {
  assert.deepEqual(entries.filter((entry) => !entry.notYet && !routeOf(entry)).map(nameOf), []);
});

test('no endpoint that has a route is marked notYet: remove the mark from endpoints.json', () => {
  assert.deepEqual(entries.filter((entry) => entry.notYet && routeOf(entry)).map(nameOf), []);
});

test('every endpoint that has a route is named by a test', () => {
  assert.deepEqual(entries.filter((entry) => routeOf(entry) && !isNamed(entry)).map(nameOf), []);
});

test('every route documents the statuses that the specification gives its endpoint', () => {
  const missing = entries.flatMap((entry) => {
    const documented = routeOf(entry)?.responses;
    return documented ? [...entry.statuses, ...entry.errors].filter((status) => !documented[status]).map((status) => `${nameOf(entry)}: ${status}`) : [];
  });
  assert.deepEqual(missing, []);
});

test('the reader of the specification: tables of three and four columns, headings, queries and statuses', () => {
  const markdown = [
    '# X\n\n## Endpoints\n\n### Open\n\n| Method | Path | Response |\n|---|---|---|\n| GET | /a/version | 200 text |\n',
    '### Sign-in\n\n**POST /in?realm={r}**\n- Body: `{x: a | b}`, at most 8192 bytes.\n- 200: yes (ES256).\n- 401: no.\n\n**GET /me** - 200: claims.\n',
    '### More (query parameter `realm={r}`)\n\n| Method | Path | Body | Response |\n|---|---|---|---|\n| POST (also PUT) | /m/{id} | `{a | b}` | 204; 400 bad, over 4 KiB |\n',
    '\n## Errors\n\n| Code | Meaning |\n|---|---|\n| 400 | bad |\n| 500 | bug |\n\n## Limits\n\n| GET | /not/here | 200 |\n',
  ].join('\n');
  assert.deepEqual(specEndpoints(markdown), [
    { method: 'GET', path: '/a/version', statuses: [200] },
    { method: 'POST', path: '/in', query: 'realm={r}', statuses: [200, 401] },
    { method: 'GET', path: '/me', statuses: [200] },
    { method: 'POST', path: '/m/{id}', query: 'realm={r}', statuses: [204, 400] },
    { method: 'PUT', path: '/m/{id}', query: 'realm={r}', statuses: [204, 400] },
  ]);
  assert.deepEqual(specErrorCodes(markdown), [400, 500]);
});

test.run();
