// The modules of the interactive page that need no browser: examples and words of schemas, requests, curl commands, answers as text.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { test } from 'uvu';

interface Entered {
  readonly path?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly header?: Record<string, string>;
  readonly more?: string;
  readonly type?: string;
  readonly body?: string;
}
interface Made {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | Uint8Array | undefined;
}

const load = <T>(file: string) => import(new URL(`../../../plugins/docs/page/${file}`, import.meta.url).href) as Promise<T>;
const { exampleOf, typeOf, membersOf } = await load<{
  exampleOf(root: object, schema: object): unknown;
  typeOf(root: object, schema: object): string;
  membersOf(root: object, schema: object): readonly { name: string; type: string; required: boolean; limits: string }[];
}>('schema.js');
const { requestOf, curlOf } = await load<{ requestOf(operation: object, entered: object): Made; curlOf(request: Made, origin: string): string }>('request.js');
const { bodyText } = await load<{ bodyText(type: string, bytes: Uint8Array): string }>('answer.js');

const made = (method: string, path: string, entered: Entered) =>
  requestOf({ method, path }, { path: {}, query: {}, header: {}, more: '', type: undefined, body: '', ...entered });
const text = (value: string) => new TextEncoder().encode(value);

const root = {
  components: {
    schemas: {
      Node: {
        type: 'object',
        required: ['tag', 'children'],
        properties: {
          tag: { $ref: '#/components/schemas/Tag' },
          children: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
          more: { type: 'string' },
        },
      },
      Tag: { enum: ['A', 'B'] },
    },
  },
};

test('an example has what is required, follows references, and ends where a schema holds itself', () => {
  const example = exampleOf(root, { $ref: '#/components/schemas/Node' }) as { tag: string; children: unknown[] };
  assert.deepEqual([example.tag, Object.keys(example)], ['A', ['tag', 'children']]);
  assert.ok(JSON.stringify(example).length < 1_000);
  const either = { anyOf: [{ type: 'null' }, { type: 'integer', minimum: 3 }] };
  const properties = {
    id: { type: 'string', format: 'uuid' },
    n: either,
    yes: { type: 'boolean' },
    preset: { type: 'string', default: 'x' },
    left: { type: 'string' },
  };
  assert.deepEqual(exampleOf({}, { type: 'object', required: ['id', 'n', 'yes', 'preset'], properties }), {
    ...{ id: '00000000-0000-4000-8000-000000000000', n: 3, yes: false, preset: 'x' },
  });
  assert.equal(exampleOf({}, { $ref: '#/nowhere' }), null);
});

test('a schema in words, with its members', () => {
  assert.equal(
    typeOf(root, { anyOf: [{ type: 'array', items: { type: 'integer' } }, { const: 1 }, { $ref: '#/components/schemas/Tag' }] }),
    'array of integer | 1 | "A" | "B"',
  );
  assert.equal(typeOf(root, { type: ['string', 'null'], format: 'uuid' }), 'string | null (uuid)');
  assert.deepEqual(
    membersOf(root, { type: 'array', items: { $ref: '#/components/schemas/Node' } }).map(({ name, type, required }) => `${name} ${type} ${required}`),
    ['tag "A" | "B" true', 'children array of object true', 'more string false'],
  );
  const [n] = membersOf({}, { properties: { n: { type: 'integer', minimum: 1, default: 5 } } });
  assert.equal(n?.limits, 'value 1.., default 5');
});

test('a request escapes path and query, omits empty values, and has a content type only with a body', () => {
  const entered = {
    path: { id: 'a/b?c' },
    query: { q: 'x&y', none: '' },
    header: { 'X-App-Token': '', Authorization: 'Bearer t' },
    more: 'accept: a/b\n\n x-y:  z ',
  };
  assert.deepEqual(made('get', '/things/{id}', entered), {
    method: 'GET',
    url: '/things/a%2Fb%3Fc?q=x%26y',
    ...{
      headers: [
        ['Authorization', 'Bearer t'],
        ['accept', 'a/b'],
        ['x-y', 'z'],
      ],
      body: undefined,
    },
  });
  assert.deepEqual(made('post', '/t', { type: 'application/json', body: '{"a": 1.0}' }).headers, [['Content-Type', 'application/json']]);
  assert.equal(made('post', '/t', { type: 'application/json', body: '{"a": 1.0}' }).body, '{"a": 1.0}');
  assert.deepEqual(made('post', '/t', { type: 'application/json', more: 'content-type: text/plain', body: 'x' }).headers, [['content-type', 'text/plain']]);
  assert.deepEqual(made('post', '/t', { type: 'application/octet-stream', body: '42 00\n7A' }).body, Uint8Array.of(0x42, 0, 0x7a));
});

test('what cannot be sent is said: dots that would leave the path, half a byte, a header without a colon', () => {
  for (const id of ['', '.', '..']) assert.throws(() => made('get', '/things/{id}', { path: { id } }), /id cannot be/);
  assert.throws(() => made('post', '/t', { type: 'application/octet-stream', body: '4' }), /pairs of hexadecimal/);
  assert.throws(() => made('get', '/t', { more: 'nonsense' }), /name: value/);
});

test('a shell reads a curl command as it was meant, whatever is in it', () => {
  const plain = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0'));
  fc.assert(
    fc.property(plain, plain, (body, value) => {
      const command = curlOf({ method: 'POST', url: '/t?q=%27', headers: [['x-y', value]], body }, 'https://h');
      // In place of curl, a program that prints its arguments, each ended by a zero byte.
      const words = execFileSync('/bin/sh', ['-c', `curl() { printf '%s\\0' "$@"; }; ${command}`], { encoding: 'utf8' }).split('\0');
      assert.deepEqual(words, ['-b', 'jar', '-X', 'POST', '-H', `x-y: ${value}`, '--data-raw', body, 'https://h/t?q=%27', '']);
    }),
    { numRuns: 40 },
  );
});

test('a curl command of bytes, and one with a credential of its own, which takes no cookies', () => {
  const request: Made = { method: 'POST', url: '/kmip', headers: [['Authorization', 'Bearer t']], body: Uint8Array.of(0x42, 0, 0x7a) };
  assert.equal(curlOf(request, 'https://h'), "printf '%s' '42007a' | xxd -r -p | curl -X POST -H 'Authorization: Bearer t' --data-binary @- 'https://h/kmip'");
});

test('JSON is indented as JSON.stringify does it, and no number changes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.equal(bodyText('application/json; charset=utf-8', text(JSON.stringify(value))), JSON.stringify(value, null, 2));
    }),
  );
  assert.equal(
    bodyText('application/json', text('{"a":12345678901234567890.10,"b":[ ],"c":{}}')),
    '{\n  "a": 12345678901234567890.10,\n  "b": [],\n  "c": {}\n}',
  );
  assert.equal(bodyText('application/json', text('{"a":')), '{"a":');
});

test('text is shown as it is, bytes and invalid text in hexadecimal, and long answers are cut', () => {
  assert.equal(bodyText('text/plain; charset=utf-8', text('\u00e4 <b>')), '\u00e4 <b>');
  assert.equal(bodyText('application/octet-stream', Uint8Array.of(0x42, 0, 0x7a)), `000000  ${'42 00 7a'.padEnd(47)}  B.z`);
  assert.match(bodyText('text/plain', Uint8Array.of(0xff)), /^000000 {2}ff /);
  assert.match(bodyText('application/octet-stream', new Uint8Array(5_000)), /\n\.\.\. and 904 more bytes$/);
  assert.match(bodyText('text/plain', text('x'.repeat(200_001))), /\n\.\.\. and 1 more characters$/);
  assert.equal(bodyText('application/json', new Uint8Array(0)), '');
});

test.run();
