// Describes a JSON schema of the document in words, and builds an example that matches it.
const DEEPEST = 8;
const STRINGS = {
  uuid: '00000000-0000-4000-8000-000000000000',
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  uri: 'https://example.com/',
  email: 'ada@example.com',
  byte: 'AAAA',
};

/** Follows references within the document. */
export function resolved(root, schema) {
  let found = schema;
  for (let step = 0; typeof found?.$ref === 'string' && step < DEEPEST; step++) {
    const path = found.$ref.replace(/^#\//, '').split('/');
    found = path.reduce((value, key) => value?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], root);
  }
  return typeof found === 'object' && found !== null ? found : {};
}

function alternatives({ anyOf, oneOf }) {
  return anyOf ?? oneOf;
}

/** An example with the required members only: optional ones may exclude each other. */
export function exampleOf(root, given, depth = 0) {
  const schema = resolved(root, given);
  for (const known of [schema.example, schema.examples?.[0], schema.default, schema.const, schema.enum?.[0]]) if (known !== undefined) return known;
  const either = alternatives(schema);
  if (depth > DEEPEST) return null;
  if (either) return exampleOf(root, either.find((each) => resolved(root, each).type !== 'null') ?? either[0], depth + 1);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((each) => exampleOf(root, each, depth + 1)));
  const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== 'null') : schema.type;
  if (type === 'object' || schema.properties) {
    const names = (schema.required ?? []).filter((name) => schema.properties?.[name]);
    return Object.fromEntries(names.map((name) => [name, exampleOf(root, schema.properties[name], depth + 1)]));
  }
  if (type === 'array') return schema.items ? [exampleOf(root, schema.items, depth + 1)] : [];
  if (type === 'integer' || type === 'number') return schema.minimum ?? 0;
  if (type === 'boolean') return false;
  return type === 'string' ? (STRINGS[schema.format] ?? 'text') : null;
}

/** `array of integer`, `"a" | "b"`, `string (uuid) | null` */
export function typeOf(root, given, depth = 0) {
  const schema = resolved(root, given);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const either = alternatives(schema);
  if (depth > DEEPEST) return '...';
  if (either) return [...new Set(either.map((each) => typeOf(root, each, depth + 1)))].join(' | ');
  if (schema.type === 'array') return schema.items ? `array of ${typeOf(root, schema.items, depth + 1)}` : 'array';
  const type = Array.isArray(schema.type) ? schema.type.join(' | ') : (schema.type ?? (schema.properties || schema.allOf ? 'object' : 'anything'));
  return schema.format ? `${type} (${schema.format})` : type;
}

/** The members to list below a schema: of an object, of the objects in an array, or of all alternatives. */
export function membersOf(root, given, depth = 0) {
  const schema = resolved(root, given);
  if (depth > DEEPEST) return [];
  const inner = [...(alternatives(schema) ?? []), ...(schema.allOf ?? []), ...(schema.items ? [schema.items] : [])];
  const own = Object.entries(schema.properties ?? {}).map(([name, each]) => ({
    name,
    type: typeOf(root, each),
    required: schema.required?.includes(name) === true,
    about: resolved(root, each).description,
    limits: limitsOf(resolved(root, each)),
    schema: each,
  }));
  return [...own, ...inner.flatMap((each) => membersOf(root, each, depth + 1))];
}

function limitsOf({ minimum, maximum, minLength, maxLength, minItems, maxItems, pattern, default: fallback }) {
  const range = (what, from, to) => (from === undefined && to === undefined ? [] : [`${what} ${from ?? ''}..${to ?? ''}`]);
  return [
    ...range('value', minimum, maximum),
    ...range('length', minLength, maxLength),
    ...range('items', minItems, maxItems),
    ...(pattern === undefined ? [] : [`matches ${pattern}`]),
    ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`]),
  ].join(', ');
}
