// Whether a database keeps every text: PostgreSQL can be made with an encoding that has no place for most of them.
import type { Dialect, Reader } from './store.ts';

/** The only one that has all characters, and that knows where each begins. */
const NEEDED = 'UTF8';
const ASKED = "SELECT current_setting('server_encoding') AS encoding, current_database() AS name";

/** @returns what is wrong with the encoding, and what to do; undefined if nothing is */
export async function encodingProblem(reader: Pick<Reader, 'all'>, dialect: Dialect): Promise<string | undefined> {
  if (dialect === 'sqlite') return undefined;
  const [row] = await reader.all<{ encoding: string; name: string }>(ASKED);
  if (!row || row.encoding === NEEDED) return undefined;
  return `the database ${row.name} has the encoding ${row.encoding}, which cannot keep every text; make it anew: CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0`;
}
