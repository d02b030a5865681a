// A property of the routes, over the table of all of them: whatever a client sends has a bound, which does not depend on the configuration.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import type { Route } from '../../kernel/http/route.ts';
import { unbounded } from './bounds.ts';
import { nameOf, startRoutedServer } from './route-table.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** What nobody has to sign in for may be this large, bytes. */
const MAX_OPEN_BODY_BYTES = 65_536;

async function routeTable(config = ''): Promise<readonly Route[]> {
  const server = await startRoutedServer({ config });
  await server.end();
  return server.routes;
}

const routes = await routeTable();

test('every string, array and object of every body, query and path has a bound', () => {
  assert.ok(routes.length > 80);
  const found = routes.flatMap((route) => {
    // A path has the parameters that it names.
    const parts = { body: route.body, query: route.query, params: route.params && { ...route.params, additionalProperties: false } };
    return Object.entries(parts).flatMap(([part, schema]) => (schema ? unbounded(schema).map((problem) => `${nameOf(route)} ${part}${problem}`) : []));
  });
  assert.deepEqual(found, []);
});

test('every parameter of a path has a schema, and no other', () => {
  for (const route of routes) {
    const named = [...route.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
    const described = Object.keys((route.params as { properties?: object } | undefined)?.properties ?? {});
    assert.deepEqual(described.sort(), named.sort(), nameOf(route));
  }
});

test('a body of bytes has a limit of its own, and one that anybody may send a small one', () => {
  const without = routes.filter(({ rawBody, bodyLimit }) => rawBody && bodyLimit === undefined);
  assert.deepEqual(without.map(nameOf), []);
  const open = routes.filter(({ auth, body }) => auth === 'none' && body);
  assert.ok(open.length >= 4);
  assert.deepEqual(open.filter(({ bodyLimit = Number.POSITIVE_INFINITY }) => bodyLimit > MAX_OPEN_BODY_BYTES).map(nameOf), []);
});

test('the bounds do not depend on the configuration', async () => {
  const other = await routeTable('[http]\nbody_limit = 67108864\n[tokenize]\nbody_limit = 16777216\n');
  const bounds = (table: readonly Route[]) => table.map(({ method, path, body, query, params }) => ({ method, path, body, query, params }));
  assert.deepEqual(JSON.parse(JSON.stringify(bounds(other))), JSON.parse(JSON.stringify(bounds(routes))));
});

test('texts are composed where their length is known: on the thread of every route by nobody else', () => {
  const files = globSync('{kernel,plugins}/**/*.ts', { cwd: root }).filter((file) => file !== 'kernel/normal-form.ts');
  assert.ok(files.length > 100);
  assert.deepEqual(
    files.filter((file) => /\.normalize\(/.test(readFileSync(join(root, file), 'utf8'))),
    [],
  );
});

/** The schema of a member, wherever it stands below. */
function memberOf(schema: unknown, name: string): Record<string, unknown> | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const own = (schema as { properties?: Record<string, Record<string, unknown>> }).properties?.[name];
  if (own) return own;
  for (const part of Object.values(schema)) {
    const found = memberOf(part, name);
    if (found) return found;
  }
  return undefined;
}

test('the limits that docs/faults.md lists are those of the schemas', () => {
  const page = readFileSync(join(root, 'docs/faults.md'), 'utf8');
  const rows = [...page.matchAll(/^\| .+ \| (\d+) (entries|characters|bytes) \| `(\w+ [^`]+)` `(\w+)` \|$/gm)];
  assert.ok(rows.length >= 16);
  const keywords = { entries: 'maxItems', characters: 'maxLength', bytes: 'x-max-bytes' } as const;
  for (const [, most, unit, route, member] of rows) {
    const found = memberOf(routes.find((each) => nameOf(each) === route)?.body, member as string);
    // Members that may be null have alternatives.
    const alternatives = (found?.['anyOf'] ?? [found]) as readonly (Record<string, unknown> | undefined)[];
    const bounds = alternatives.map((each) => each?.[keywords[unit as keyof typeof keywords]]).filter((bound) => bound !== undefined);
    assert.deepEqual(bounds, [Number(most)], `${route} ${member}`);
  }
});

test('the check finds what has no bound', () => {
  const text = { type: 'string' };
  assert.deepEqual(unbounded(text), [': a string without maxLength']);
  assert.deepEqual(unbounded({ type: 'string', pattern: '^a*$' }), [': a string without maxLength']);
  assert.deepEqual(unbounded({ type: 'array', items: text }), [': an array without maxItems', '[]: a string without maxLength']);
  assert.deepEqual(unbounded({ type: 'object', properties: { a: text } }), [': an object without maxProperties', '/a: a string without maxLength']);
  assert.deepEqual(unbounded({ type: 'object', patternProperties: { '^.*$': {} }, additionalProperties: false }), [
    ': an object without maxProperties',
    '/*: anything',
  ]);
  assert.deepEqual(unbounded({ anyOf: [text, { type: 'null' }] }), ['|0: a string without maxLength']);
  assert.deepEqual(unbounded({ type: 'object', 'x-max-bytes': 10 }), []);
  assert.deepEqual(unbounded({ type: 'object', properties: { a: { ...text, maxLength: 1 } }, additionalProperties: false }), []);
});

test.run();
