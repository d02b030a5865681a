// Converts the schema of a request for the OpenAPI document: what a client has to send, in standard keywords only.
import type { TSchema } from 'typebox';
import { MAX_COMPOSED } from '../parameters.ts';

type Schema = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

/** `x-document` holds keywords for the document only, where the server accepts more than it documents. @returns a copy in which members with a default are optional and our own keywords are also described in words */
export function asSent(schema: TSchema): TSchema {
  return describeSchema(schema as Schema) as TSchema;
}

function describeSchema(schema: Schema): Schema {
  const copy = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, keyword === 'properties' ? each(value as Schema) : describeNested(value)]),
  );
  const { 'x-document': told, ...rest } = copy;
  return inWords({ ...rest, ...requiredOf(schema), ...(isObject(told) ? told : {}) });
}

/** The keys below `properties` are names of members, not keywords. */
const each = (properties: Schema): Schema => Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, describeNested(schema)]));

function describeNested(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(describeNested);
  return isObject(value) ? describeSchema(value) : value;
}

function requiredOf({ required, properties }: Schema): Schema {
  if (!Array.isArray(required) || !isObject(properties)) return {};
  return { required: required.filter((name: string) => !('default' in (properties[name] as Schema))) };
}

function inWords(schema: Schema): Schema {
  const words = typeof schema['description'] === 'string' ? [schema['description']] : [];
  if (schema['format'] === 'name') {
    const { format: _own, ...rest } = schema;
    // The server also accepts a longer name if its composed form is short enough. The document gives the limit of the composed form.
    return { ...rest, maxLength: MAX_COMPOSED, description: [...words, `at most ${MAX_COMPOSED} characters in the composed form (NFC)`].join('; ') };
  }
  const maxBytes = schema['x-max-bytes'];
  if (typeof maxBytes !== 'number') return schema;
  return { ...schema, description: [...words, `at most ${maxBytes} bytes as compact JSON in UTF-8`].join('; ') };
}
