// Finds what has no bound in a schema of a request: strings without maxLength, arrays without maxItems, objects that take any number of members.

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

/** @returns the place of each, and what it lacks; a keyword that bounds the bytes of a value bounds all that is in it */
export function unbounded(schema: unknown, at = ''): string[] {
  if (!isSchema(schema)) return [`${at}: anything`];
  if (typeof schema['x-max-bytes'] === 'number' || 'const' in schema || 'enum' in schema) return [];
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => (schema[keyword] as unknown[] | undefined) ?? []);
  if (parts.length > 0) return parts.flatMap((part, index) => unbounded(part, `${at}|${index}`));
  switch (schema['type']) {
    case 'string':
      return typeof schema['maxLength'] === 'number' ? [] : [`${at}: a string without maxLength`];
    case 'array':
      return [...(typeof schema['maxItems'] === 'number' ? [] : [`${at}: an array without maxItems`]), ...unbounded(schema['items'], `${at}[]`)];
    case 'object':
      return ofObject(schema, at);
    case 'integer':
    case 'number':
    case 'boolean':
    case 'null':
      return [];
    default:
      return [`${at}: anything`];
  }
}

/** Members that no schema names are ignored, so that their number alone has to be bounded; those of a map are not. */
function ofObject(schema: Schema, at: string): string[] {
  const { properties = {}, patternProperties = {}, additionalProperties: others, maxProperties } = schema;
  const isOpen = others !== false || Object.keys(patternProperties as object).length > 0;
  return [
    ...(isOpen && typeof maxProperties !== 'number' ? [`${at}: an object without maxProperties`] : []),
    ...Object.entries(properties as object).flatMap(([name, part]) => unbounded(part, `${at}/${name}`)),
    ...Object.values(patternProperties as object).flatMap((part) => unbounded(part, `${at}/*`)),
    ...(isSchema(others) ? unbounded(others, `${at}/*`) : []),
  ];
}
