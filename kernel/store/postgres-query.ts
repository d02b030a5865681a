// Makes queries for PostgreSQL: prepared under a name where their text repeats, with parameters that the database accepts.
import type pg from 'pg';
import { isPlannedAnew } from './planned-anew.ts';
import type { SqlValue } from './store.ts';

/** Further statements are not prepared: searches can produce any number of texts, and neither side drops prepared statements. */
const MAX_STATEMENT_NAMES = 500;
const names = new Map<string, string>();

/** Each text is prepared once per connection under its own name, unless it is to be planned anew. */
export function nameQuery(text: string, params: readonly SqlValue[]): pg.QueryConfig {
  let name = isPlannedAnew(text) ? undefined : names.get(text);
  if (name === undefined && names.size < MAX_STATEMENT_NAMES && !isPlannedAnew(text)) {
    name = `gatehouse_${names.size}`;
    names.set(text, name);
  }
  const values = params.map(parameterOf);
  return name === undefined ? { text, values } : { name, text, values };
}

/** PostgreSQL texts cannot contain U+0000. A query with such a text from a client must find nothing instead of failing. */
function parameterOf(value: SqlValue): unknown {
  if (typeof value === 'string') return value.includes('\u0000') ? value.replaceAll('\u0000', '\ufffd') : value;
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}
