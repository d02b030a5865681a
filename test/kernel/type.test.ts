// Our builders make what TypeBox makes, with the order of members and what they hide, and no thread loads TypeBox itself.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Type as TypeBox } from 'typebox';
import { test } from 'uvu';
import Type from '../../kernel/type.ts';

type Builders = typeof Type;

/** All that can be seen of a schema; the order of what it hides means nothing. */
function whole(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const all = Object.entries(Object.getOwnPropertyDescriptors(value)).map(([key, { value: member, ...flags }]) => [key, flags, whole(member)] as const);
  const isHidden = ([, { enumerable }]: (typeof all)[number]) => enumerable === false;
  return [...all.filter((each) => !isHidden(each)), ...all.filter(isHidden).toSorted(([one], [other]) => one.localeCompare(other))];
}

const options = { description: 'why', default: 'x', 'x-own': [1] };
const SCHEMAS: Readonly<Record<keyof Builders, (from: Builders) => readonly unknown[]>> = {
  Array: (from) => [from.Array(from.String()), from.Array(from.Optional(from.Integer()), { maxItems: 3, ...options })],
  Boolean: (from) => [from.Boolean(), from.Boolean(options)],
  Enum: (from) => [from.Enum(['a', 'b']), from.Enum([128, 192], options), from.Enum([])],
  Integer: (from) => [from.Integer(), from.Integer({ minimum: 0, maximum: 9 })],
  Literal: (from) => [from.Literal('a'), from.Literal(''), from.Literal(false), from.Literal(422, options)],
  Null: (from) => [from.Null(), from.Null(options)],
  Number: (from) => [from.Number(), from.Number({ exclusiveMinimum: 0 })],
  Object: (from) => [
    from.Object({}),
    from.Object({ a: from.String(), b: from.Optional(from.Integer()), c: from.Object({ d: from.Null() }) }),
    from.Object({ a: from.Optional(from.String()) }, { additionalProperties: false, ...options }),
    from.Object({ a: from.String() }, { required: [] }),
  ],
  Optional: (from) => [
    from.Optional(from.String(options)),
    from.Optional(from.Optional(from.Union([from.String(), from.Null()]))),
    from.Optional(from.Unsafe({ type: 'string' })),
  ],
  Partial: (from) => [
    from.Partial(from.Object({ a: from.String(), b: from.Optional(from.Integer()) }, { additionalProperties: false })),
    from.Partial(from.Object({ a: from.String(options) }), { maxProperties: 3 }),
  ],
  Record: (from) => [from.Record(from.String(), from.Unknown()), from.Record(from.String({ pattern: '^x-' }), from.Array(from.String()), options)],
  String: (from) => [from.String(), from.String({ minLength: 1, maxLength: 255, pattern: '^a', format: 'uuid' })],
  Union: (from) => [from.Union([]), from.Union([from.String(), from.Null()], options)],
  Unknown: (from) => [from.Unknown(), from.Unknown(options)],
  Unsafe: (from) => [from.Unsafe({ type: ['string', 'object'], minLength: 1 }), from.Unsafe(from.Optional(from.String()))],
};

for (const [name, make] of Object.entries(SCHEMAS))
  test(`Type.${name} makes what TypeBox does`, () => {
    assert.deepEqual(whole(make(Type)), whole(make(TypeBox)));
  });

test('nothing is left out: every builder is compared', () => {
  assert.deepEqual(Object.keys(SCHEMAS).toSorted(), Object.keys(Type).toSorted());
});

/** Prints what of TypeBox, of the drivers of PostgreSQL and of the validator is loaded with a module. */
const LOADED = `import { registerHooks } from 'node:module';
const seen = new Set();
registerHooks({ load(url, context, next) { const found = /node_modules[/](typebox|pg|ajv|undici)[/]/.exec(url); if (found) seen.add(found[1]); return next(url, context); } });
await import(process.argv[1]);
console.log([...seen].sort().join());`;

function loadedBy(module: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', LOADED, fileURLToPath(new URL(`../../${module}`, import.meta.url))]);
  assert.equal(String(stderr).replaceAll(/^.*(ExperimentalWarning|--trace-warnings).*\n/gm, ''), '');
  return String(stdout).trim();
}

test('what a start does not need is not loaded: TypeBox, another database, a client of HTTP, a validator', () => {
  assert.equal(loadedBy('kernel/start/boot.ts'), 'ajv');
  assert.equal(loadedBy('plugins/index.ts'), 'ajv');
  assert.equal(loadedBy('kernel/fronts/front-thread.ts'), 'ajv');
  assert.equal(loadedBy('command/commands.ts'), 'undici');
  assert.equal(loadedBy('actors/identity/identity.actor.ts'), '');
});

test.run();
