// Properties of the schemas of the routes, over the table of all of them: they are valid, although the server compiles them when they are first used, and refuse in words.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { checksOf } from '../../kernel/http/body/checks.ts';
import { schemaProblems } from '../../kernel/http/body/schema-problems.ts';
import { nameOf, startRoutedServer } from './route-table.ts';

const server = await startRoutedServer();
await server.end();

test('every body, query and path has a schema that is valid and can be compiled', () => {
  assert.ok(server.routes.length > 80);
  const found = server.routes.flatMap((route) => schemaProblems(route).map((problem) => `${nameOf(route)}: ${problem}`));
  assert.deepEqual(found, []);
});

/** Places of a schema whose refusal would have no words: a constant, and a form without a description. */
function wordless(schema: unknown, at: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, examples: _, ...rest } = schema as Record<string, unknown>;
  const isForm = ['pattern', 'not', 'format'].some((keyword) => keyword in rest) && rest['description'] === undefined;
  const below = Object.entries({ ...rest, ...(properties as object) }).flatMap(([key, part]) => wordless(part, `${at}/${key}`));
  return 'const' in rest || isForm ? [at, ...below] : below;
}

test('what is wrong with a body or a query can be told in words, not as a regular expression or a constant', () => {
  assert.deepEqual(wordless({ properties: { a: { pattern: 'x' }, b: { anyOf: [{ const: 1 }] } } }, ''), ['/a', '/b/anyOf/0']);
  const found = server.routes.flatMap((route) => {
    const { checkBody, checkQuery } = checksOf(route);
    return [...(checkBody ? wordless(route.body, `${nameOf(route)} body`) : []), ...(checkQuery ? wordless(route.query, `${nameOf(route)} query`) : [])];
  });
  assert.deepEqual(found, []);
});

test.run();
