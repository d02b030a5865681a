// Tells whether anything in an SQLite file has changed: what a process that shares no counters with the server may go by.
import { DatabaseSync } from 'node:sqlite';

/**
 * @param path of the database file
 * @returns a function whose result changes with every commit of another connection, in whichever process (https://sqlite.org/pragma.html#pragma_data_version);
 * NaN, which equals no number, if the file cannot be read now
 */
export function dataVersionOf(path: string): () => number {
  // A connection of its own: its number does not change with its own commits, and it makes none.
  const statement = new DatabaseSync(path, { readOnly: true, timeout: 0 }).prepare('PRAGMA data_version');
  return () => {
    try {
      return Number(statement.get()?.['data_version'] ?? Number.NaN);
    } catch {
      return Number.NaN;
    }
  };
}
