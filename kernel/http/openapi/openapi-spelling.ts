// Writes schemas of the OpenAPI document in the spelling that generators of clients understand, where several spellings mean the same.

type Schema = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Their keys are names, not keywords. */
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'paths', 'content', 'responses', 'schemas', 'headers']);
/** What they hold is data, not schemas. */
const DATA: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'enum', 'const']);

/** @param part of an OpenAPI document @returns a copy in which each schema means the same as before */
export function spelled<T>(part: T): T {
  return spellPart(part) as T;
}

function spellPart(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(spellPart);
  if (!isObject(part)) return part;
  return spellSchema(Object.fromEntries(Object.entries(part).map(([key, value]) => [key, spellMember(key, value)])));
}

function spellMember(key: string, value: unknown): unknown {
  if (DATA.has(key)) return value;
  if (!NAMED.has(key) || !isObject(value)) return spellPart(value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, key === 'properties' ? fixed(spellPart(each)) : spellPart(each)]));
}

const spellSchema = (schema: Schema): Schema => boundedFile(defaultInside(schema));

/** A member with one value that is no text or number. Generators make nothing that compiles of `type: null` alone, and of a Boolean with an enumeration. */
function fixed(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const { type, enum: values = type === 'null' ? [null] : [], ...rest } = schema;
  const [value, ...others] = values as readonly unknown[];
  return (value === null || typeof value === 'boolean') && others.length === 0 ? { ...rest, const: value } : schema;
}

/** A default beside alternatives goes to those of its type: generators take the type of the member for it, which has no such value. */
function defaultInside(schema: Schema): Schema {
  const { default: value, ...rest } = schema;
  if (value === undefined || !Array.isArray(schema['anyOf'])) return schema;
  const type = Array.isArray(value) ? 'array' : typeof value;
  return { ...rest, anyOf: (schema['anyOf'] as readonly Schema[]).map((each) => (each['type'] === type ? { ...each, default: value } : each)) };
}

/** The length of a file is in bytes (OpenAPI 3.1.1 section 4.8.14.4). Generators count characters, which a file has not: words tell it. */
function boundedFile(schema: Schema): Schema {
  if (schema['format'] !== 'binary' || typeof schema['maxLength'] !== 'number') return schema;
  const { maxLength, description, ...rest } = schema;
  return { ...rest, description: [description, `at most ${maxLength} bytes`].filter((words) => words !== undefined).join('; ') };
}
