// Building blocks of configuration schemas: strict tables, and secrets that may be stored in a file or a variable.
import type { TObject, TProperties, TSchema } from 'typebox';
import Type from '../type.ts';
import type { SecretFile } from './secret-file.ts';

/** A table of `config.toml`. Unknown keys are refused; missing keys get their defaults. */
export function Section<P extends TProperties>(properties: P): TObject<P> {
  return Type.Object(properties, { additionalProperties: false, default: {} });
}

/** An address or a name to listen on: what holds a space or a control character is neither, and a NUL ends a start with a stack. */
export function Host() {
  return Type.String({
    default: '127.0.0.1',
    pattern: '^[^\\s\\u0000-\\u001f\\u007f]+$',
    description: 'an address or a name, without spaces and control characters',
  });
}

/**
 * A secret: the text itself, `{ file = "PATH" }` or `{ env = "NAME" }`; in flags and variables `file:PATH` or `env:NAME`.
 * References are resolved before validation, so a plugin gets the text.
 */
export function Secret(options: { default?: string; minLength?: number } = {}) {
  return Type.String({ ...options, [SECRET]: true });
}

/** As `Secret`, but a file is read where the secret is used: the plugin gets the text, or the file in which it is. */
export function LateSecret() {
  return Type.Unsafe<string | SecretFile>({ type: ['string', 'object'], minLength: 1, [SECRET]: true, [LATE]: true });
}

/** Keyword that marks a secret in a schema. */
export const SECRET = 'secret';
/** Keyword that marks one that is read where it is used. */
export const LATE = 'late';

export function isSecret(schema: TSchema): boolean {
  return (schema as Record<string, unknown>)[SECRET] === true;
}

export function isLate(schema: TSchema): boolean {
  return (schema as Record<string, unknown>)[LATE] === true;
}

export interface Leaf {
  readonly path: readonly string[];
  readonly schema: TSchema;
}

/** @returns every scalar and list of scalars in a schema: the keys that an environment variable can set */
export function leavesOf(schema: TSchema, path: readonly string[] = []): Leaf[] {
  const { properties } = schema as { properties?: Record<string, TSchema> };
  if (properties) return Object.entries(properties).flatMap(([key, child]) => leavesOf(child, [...path, key]));
  const { type, items } = schema as { type?: string; items?: { type?: string } };
  if (type === 'array' && (items?.type === 'object' || items === undefined)) return [];
  return [{ path, schema }];
}
