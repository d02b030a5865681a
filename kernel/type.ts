// The builders of TypeBox that our schemas are made of, without its engine, which was a third of what each thread with routes loaded.
import type { Type as TypeBox } from 'typebox';

type Schema = Readonly<Record<string, unknown>>;
type Properties = Readonly<Record<string, Schema>>;

/** Members that only TypeBox looks at: neither JSON nor a validator sees them. */
type Hidden = '~kind' | '~optional' | '~unsafe';

function hide(schema: object, name: Hidden, value: unknown): Schema {
  return Object.defineProperty(schema, name, { value, configurable: true, enumerable: false, writable: true }) as Schema;
}

/** @returns a copy with one more of the hidden members */
function marked(schema: Schema, name: Hidden, value: unknown): Schema {
  return hide(Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)), name, value);
}

const made = (kind: string, members: Schema, options: Schema = {}) => hide({ ...members, ...options }, '~kind', kind);
const optional = (schema: Schema) => marked(schema, '~optional', true);

function object(properties: Properties, options?: Schema): Schema {
  const required = Object.keys(properties).filter((name) => properties[name]?.['~optional'] === undefined);
  return made('Object', { type: 'object', ...(required.length > 0 && { required }), properties }, options);
}

/** The types are those of TypeBox. A test holds what the builders make against what TypeBox makes. */
const Type = {
  Array: (items: Schema, options?: Schema) => made('Array', { type: 'array', items }, options),
  Boolean: (options?: Schema) => made('Boolean', { type: 'boolean' }, options),
  Enum: (values: readonly unknown[], options?: Schema) => made('Enum', { enum: values }, options),
  Integer: (options?: Schema) => made('Integer', { type: 'integer' }, options),
  Literal: (value: unknown, options?: Schema) => made('Literal', { type: typeof value, const: value }, options),
  Null: (options?: Schema) => made('Null', { type: 'null' }, options),
  Number: (options?: Schema) => made('Number', { type: 'number' }, options),
  Object: object,
  Optional: optional,
  Partial: ({ properties }: { readonly properties: Properties }, options?: Schema) =>
    object(Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, optional(schema)])), options),
  Record: (key: Schema, value: Schema, options?: Schema) =>
    made('Record', { type: 'object', patternProperties: { [String(key['pattern'] ?? '^.*$')]: value } }, options),
  String: (options?: Schema) => made('String', { type: 'string' }, options),
  Union: (anyOf: readonly Schema[], options?: Schema) => made('Union', { anyOf }, options),
  Unknown: (options?: Schema) => made('Unknown', {}, options),
  Unsafe: (schema: Schema) => marked(schema, '~unsafe', null),
};

export default Type as unknown as Pick<typeof TypeBox, keyof typeof Type>;
