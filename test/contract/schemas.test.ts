// A property of the routes, over the table of all of them: their schemas, which the server compiles when they are first used, are valid.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { schemaProblems } from '../../kernel/http/schema-problems.ts';
import { nameOf, startRoutedServer } from './route-table.ts';

const server = await startRoutedServer();
await server.end();

test('every body, query and path has a schema that is valid and can be compiled', () => {
  assert.ok(server.routes.length > 80);
  const found = server.routes.flatMap((route) => schemaProblems(route).map((problem) => `${nameOf(route)}: ${problem}`));
  assert.deepEqual(found, []);
});

test.run();
