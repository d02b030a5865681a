// Whether a database keeps every text: PostgreSQL can be made with an encoding that has no place for most of them.
import type { Dialect, Reader } from './store.ts';

/** The only one that has all characters, and that knows where each begins. */
const NEEDED = 'UTF8';
const ASKED = "SELECT current_setting('server_encoding') AS encoding, current_database() AS name";

interface Trouble {
  /** Goes on from the name of the database. */
  readonly says: string;
  readonly advice: string;
}

/** @param encoding as PostgreSQL names it @returns undefined for the one that is right */
export function troubleOf(encoding: string): Trouble | undefined {
  if (encoding === NEEDED) return undefined;
  return {
    says: `has the encoding ${encoding}, which cannot keep every text`,
    advice: `make it anew: CREATE DATABASE ... ENCODING '${NEEDED}' TEMPLATE template0`,
  };
}

/** @returns what is wrong with the encoding, and what to do; undefined if nothing is */
export async function encodingProblem(reader: Pick<Reader, 'all'>, dialect: Dialect): Promise<string | undefined> {
  if (dialect === 'sqlite') return undefined;
  const [row] = await reader.all<{ encoding: string; name: string }>(ASKED);
  const trouble = row && troubleOf(row.encoding);
  return trouble && `the database ${row.name} ${trouble.says}; ${trouble.advice}`;
}
