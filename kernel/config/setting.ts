// The configuration in use as an operator may see it: each key with its value, without secrets, and where the value comes from.
import type { TSchema } from 'typebox';
import { isSecret } from './schema.ts';

export interface Setting {
  /** As in a path of `config.toml`: `http.port`. */
  readonly key: string;
  /** JSON. A secret is `(secret)`, or empty if there is none; so are those within lists and tables. */
  readonly value: unknown;
  /** `default`, the path of the file, `--port`, the variable `GATEHOUSE_HTTP_PORT`, or `flags` for a section that flags of a plugin make. */
  readonly source: string;
}

/** Where values come from, by their keys; of a table, all its keys do. */
export type Origins = ReadonlyMap<string, string>;

const HIDDEN = '(secret)';
/** The user and password of an address. */
const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*@/i;

/** @param sections validated; those with problems are undefined and left out */
export function settingsOf(sections: Readonly<Record<string, unknown>>, schemas: Readonly<Record<string, TSchema>>, origins: Origins): Setting[] {
  const known = Object.entries(schemas).filter(([name]) => sections[name] !== undefined);
  return known.flatMap(([name, schema]) => settingsIn(sections[name], schema, name, 'default', origins));
}

function settingsIn(value: unknown, schema: TSchema, key: string, inherited: string, origins: Origins): Setting[] {
  const { properties } = schema as { properties?: Record<string, TSchema> };
  // A secret may be a table that names a file or a variable.
  const source = origins.get(key) ?? origins.get(`${key}.file`) ?? origins.get(`${key}.env`) ?? inherited;
  if (!properties || typeof value !== 'object' || value === null) return [{ key, value: shown(value, schema), source }];
  return Object.entries(properties).flatMap(([name, child]) => settingsIn((value as Record<string, unknown>)[name], child, `${key}.${name}`, source, origins));
}

function shown(value: unknown, schema: TSchema): unknown {
  if (value === undefined) return null;
  if (isSecret(schema)) return value === '' ? '' : HIDDEN;
  const { properties, items } = schema as { properties?: Record<string, TSchema>; items?: TSchema };
  if (Array.isArray(value)) return value.map((item) => (items ? shown(item, items) : item));
  if (typeof value === 'string') return value.replace(USER_INFO, `$1${HIDDEN}@`);
  if (typeof value !== 'object' || value === null || !properties) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, properties[name] ? shown(member, properties[name]) : member]));
}
