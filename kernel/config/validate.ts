// Validates a configuration section against its schema: sets defaults, refuses unknown keys, and describes every problem.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';
import { LATE, SECRET } from './schema.ts';
import { SECRET_FORMS } from './secret.ts';

const ajv = new Ajv({
  allErrors: true,
  useDefaults: true,
  coerceTypes: false,
  removeAdditional: false,
  strict: true,
  strictTypes: false,
  allowUnionTypes: true,
  // Errors then include the schema, so that the message about an unknown key can list the known keys.
  verbose: true,
  // Each check runs once.
  code: { optimize: false },
});
ajv.addKeyword(SECRET);
ajv.addKeyword(LATE);

interface Validation {
  readonly value: unknown;
  readonly problems: readonly string[];
}

/** @param raw the section as read; it is not changed @param name of the section, with which messages begin */
export function validate(raw: unknown, schema: TSchema, name: string): Validation {
  const holder = { value: raw === undefined ? (schema as { default?: unknown }).default : raw };
  const copy = structuredClone(holder);
  const check = compile(schema);
  if (check instanceof Error) return { value: undefined, problems: [`${name}: the schema of the plugin is invalid: ${check.message}`] };
  if (check(copy)) return { value: deepFreeze(copy.value), problems: [] };
  return { value: undefined, problems: [...new Set((check.errors ?? []).map((error) => inWords(error, name)))] };
}

/** By their schemas: a process that reads its configuration again, or starts servers one after the other, compiles each once. */
const compiled = new WeakMap<TSchema, ValidateFunction | Error>();

function compile(schema: TSchema): ValidateFunction | Error {
  const known = compiled.get(schema);
  if (known) return known;
  const made = compileNew(schema);
  compiled.set(schema, made);
  return made;
}

function compileNew(schema: TSchema): ValidateFunction | Error {
  try {
    return ajv.compile({ type: 'object', properties: { value: schema }, required: ['value'] });
  } catch (error) {
    return error as Error;
  }
}

function inWords({ instancePath, keyword, params, message, parentSchema, data }: ErrorObject, name: string): string {
  const path = [name, ...instancePath.split('/').slice(2)].reduce((text, key) => (/^\d+$/.test(key) ? `${text}[${key}]` : `${text}.${key}`));
  if (keyword === 'additionalProperties')
    return `${path}.${params['additionalProperty']}: unknown key (known: ${Object.keys(parentSchema?.['properties'] ?? {}).join(', ')})`;
  if (keyword === 'required') return `${params['missingProperty'] === 'value' ? path : `${path}.${params['missingProperty']}`}: is missing`;
  if (keyword === 'enum') return `${path}: must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`;
  if (keyword === 'type' && params['type'] === 'object' && Array.isArray(data)) return `${path}: must be one table: [${path}], not [[${path}]]`;
  if (keyword === 'type' && params['type'] === 'array' && parentSchema?.['items']?.type === 'object')
    return `${path}: must be a list of tables, each of which begins with [[${path}]]`;
  // A regular expression tells few people what to write.
  if (keyword === 'pattern' && typeof parentSchema?.['description'] === 'string') return `${path}: must be ${parentSchema['description']}`;
  if (keyword === 'type' && parentSchema?.[LATE]) return `${path}: ${SECRET_FORMS}`;
  return `${path}: ${WORDS[keyword === 'type' ? String(params['type']) : keyword]?.(params) ?? message}`;
}

/** What to write, where the validator has words of JSON Schema only: people write numbers in quotation marks, or with their unit. */
const WORDS: Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => string>> = {
  integer: () => 'must be a whole number, without quotation marks and unit',
  number: () => 'must be a number, without quotation marks and unit',
  boolean: () => 'must be true or false, without quotation marks',
  string: () => 'must be a text in quotation marks',
  array: () => 'must be a list in square brackets',
  object: () => 'must be a table',
  minimum: ({ limit }) => `must be ${limit} or more`,
  maximum: ({ limit }) => `must be ${limit} or less`,
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have ${limit} characters or more`),
  maxLength: ({ limit }) => `must have ${limit} characters or fewer`,
  minItems: ({ limit }) => (limit === 1 ? 'must not be an empty list' : `must have ${limit} entries or more`),
  maxItems: ({ limit }) => `must have ${limit} entries or fewer`,
  uniqueItems: ({ i, j }) =>
    `must not have an entry twice (${[Number(i), Number(j)]
      .sort((one, other) => one - other)
      .map((at) => `[${at}]`)
      .join(' and ')} are the same)`,
};

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const member of Object.values(Object.freeze(value))) deepFreeze(member);
  return value;
}
