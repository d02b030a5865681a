// The schema of a request as the OpenAPI document tells it: what a client has to send, in keywords that every reader knows.
import type { TSchema } from 'typebox';
import { MAX_COMPOSED } from './parameters.ts';

type Schema = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

/** `x-document` holds keywords that are for the document only: what the server reads in other spellings too. @returns a copy: what has a default need not be sent, and what only the server's own keywords say is said in words as well */
export function asSent(schema: TSchema): TSchema {
  return described(schema as Schema) as TSchema;
}

function described(schema: Schema): Schema {
  const copy = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, keyword === 'properties' ? each(value as Schema) : nested(value)]),
  );
  const { 'x-document': told, ...rest } = copy;
  return inWords({ ...rest, ...requiredOf(schema), ...(isObject(told) ? told : {}) });
}

/** Names of members are no keywords. */
const each = (properties: Schema): Schema => Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, nested(schema)]));

function nested(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(nested);
  return isObject(value) ? described(value) : value;
}

function requiredOf({ required, properties }: Schema): Schema {
  if (!Array.isArray(required) || !isObject(properties)) return {};
  return { required: required.filter((name: string) => !('default' in (properties[name] as Schema))) };
}

function inWords(schema: Schema): Schema {
  const words = typeof schema['description'] === 'string' ? [schema['description']] : [];
  if (schema['format'] === 'name') {
    const { format: _own, ...rest } = schema;
    // Composing makes no text longer; one that is longer as it is sent and not when it is composed is taken too.
    return { ...rest, maxLength: MAX_COMPOSED, description: [...words, `at most ${MAX_COMPOSED} characters in the composed form (NFC)`].join('; ') };
  }
  const maxBytes = schema['x-max-bytes'];
  if (typeof maxBytes !== 'number') return schema;
  return { ...schema, description: [...words, `at most ${maxBytes} bytes as compact JSON in UTF-8`].join('; ') };
}
