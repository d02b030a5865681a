// Makes queries for PostgreSQL: prepared under a name where their text repeats, with parameters that the database accepts.
import { hash } from 'node:crypto';
import type pg from 'pg';
import { isPlannedAnew } from './planned-anew.ts';
import type { RowInsert } from './row-insert.ts';
import type { SqlValue } from './store.ts';

/** Further statements are not prepared: searches can produce any number of texts, and neither side drops prepared statements. */
const MAX_STATEMENT_NAMES = 500;
/** Of its digest: no two texts have the same name, in no thread of any node. */
const NAME_DIGITS = 32;
const names = new Map<string, string>();
let areNamesKept = true;

/** From now on this thread prepares nothing under a name. A connection of the server that a pooler gives it may not know the name. */
export function forgetNames(): void {
  areNamesKept = false;
}

/** Each text is prepared once per connection under its own name, unless it is to be planned anew. */
export function nameQuery(text: string, params: readonly SqlValue[]): pg.QueryConfig {
  const values = params.map(parameterOf);
  const name = isPlannedAnew(text) ? undefined : nameOf(text);
  return name === undefined ? { text, values } : { name, text, values };
}

/** Inserts rows with one array for each column. @param values of all columns of the first row, then of the next */
export function arraysQuery({ columns, fromArrays: text }: RowInsert, values: readonly SqlValue[]): pg.QueryConfig {
  const arrays: unknown[][] = Array.from({ length: columns }, () => []);
  for (const [at, value] of values.entries()) arrays[at % columns]?.push(parameterOf(value));
  const name = nameOf(text);
  return { text, values: arrays, ...(name !== undefined && { name }) };
}

function nameOf(text: string): string | undefined {
  if (!areNamesKept) return undefined;
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_STATEMENT_NAMES) return known;
  const name = `gatehouse_${hash('sha256', text, 'hex').slice(0, NAME_DIGITS)}`;
  names.set(text, name);
  return name;
}

/**
 * Where commits do not wait for the disk, a crash of the database would take back what was answered. Other settings say which standbys they wait for, and stay.
 * @param isLocal for the current transaction only @returns an expression
 */
export function durable(isLocal: boolean): string {
  return `CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', ${isLocal}) END`;
}

/** PostgreSQL texts cannot contain U+0000. A query with such a text from a client must find nothing instead of failing. */
function parameterOf(value: SqlValue): unknown {
  if (typeof value === 'string') return value.includes('\u0000') ? value.replaceAll('\u0000', '\ufffd') : value;
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}
