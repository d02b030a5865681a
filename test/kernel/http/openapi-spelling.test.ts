// The OpenAPI document in the hands of programs that read YAML or generate clients: schemas in spellings that they know, and times that stay texts.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { parse } from 'yaml';
import { spelled } from '../../../kernel/http/openapi/openapi-spelling.ts';
import { startServer, type TestServer } from '../../server.ts';

type Part = Readonly<Record<string, unknown>>;

let server: TestServer;
let text: string;
test.before(async () => {
  server = await startServer();
  text = (await server.ask('GET', '/openapi.yaml')).text;
});
test.after(() => server?.end());

const member = (schema: object) => (spelled({ properties: { member: schema } }) as { properties: { member: object } }).properties.member;

test('readers of YAML 1.1 read the same as those of YAML 1.2', () => {
  const document = parse(text) as Part;
  assert.deepEqual(parse(text, { version: '1.1' }), document);
  assert.ok(JSON.stringify(document).includes('"2026-01-01T00:00:00Z"'), 'there is a text that looks like a time');
});

test('a member that is always null or one Boolean is a constant without a type', () => {
  assert.deepEqual(member({ type: 'null', description: 'why' }), { description: 'why', const: null });
  assert.deepEqual(member({ type: 'boolean', enum: [false] }), { const: false });
  for (const schema of [
    { type: 'boolean' },
    { type: 'string', enum: ['a'] },
    { type: 'integer', enum: [0] },
    { enum: [true, false] },
    { anyOf: [{ type: 'string' }, { type: 'null' }] },
  ])
    assert.deepEqual(member(schema), schema);
});

test('a default beside alternatives stands in those of its type', () => {
  const [list, word] = [{ type: 'array', items: { type: 'string' } }, { type: 'string' }];
  assert.deepEqual(member({ anyOf: [list, word], default: [], description: 'both' }), { anyOf: [{ ...list, default: [] }, word], description: 'both' });
  assert.deepEqual(member({ anyOf: [list, word], default: 'a' }), { anyOf: [list, { ...word, default: 'a' }] });
  assert.deepEqual(member({ type: 'integer', default: 1 }), { type: 'integer', default: 1 });
});

test('the length of a file is told in words', () => {
  assert.deepEqual(member({ type: 'string', format: 'binary', maxLength: 5, description: 'a file' }), {
    ...{ type: 'string', format: 'binary', description: 'a file; at most 5 bytes' },
  });
  assert.deepEqual(member({ type: 'string', maxLength: 5 }), { type: 'string', maxLength: 5 });
});

test('names of members and data are not taken for keywords', () => {
  const schema = {
    ...{ type: 'object', example: { properties: { a: { type: 'null' } } }, default: { anyOf: [], default: 1 } },
    properties: { default: { type: 'string' }, anyOf: { type: 'array' }, enum: { type: 'boolean' }, example: { properties: { a: { type: 'null' } } } },
  };
  assert.deepEqual(member(schema), { ...schema, properties: { ...schema.properties, example: { properties: { a: { const: null } } } } });
});

test('no schema of the document has a spelling of which generators make what does not compile', () => {
  const wrong: string[] = [];
  const look = (part: unknown, at: string, isMember: boolean): void => {
    if (typeof part !== 'object' || part === null) return;
    const { type, enum: values, anyOf, default: value, format, maxLength } = part as Part;
    if (isMember && (type === 'null' || (type === 'boolean' && values))) wrong.push(`${at}: a constant`);
    if (Array.isArray(anyOf) && value !== undefined) wrong.push(`${at}: a default`);
    if (format === 'binary' && maxLength !== undefined) wrong.push(`${at}: a file`);
    for (const [key, each] of Object.entries(part)) if (!/^examples?$/.test(key)) look(each, `${at}/${key}`, at.endsWith('/properties'));
  };
  look((parse(text) as Part)['paths'], '', false);
  assert.deepEqual(wrong, []);
});

test.run();
