// Reads text files that people write: configuration, and secrets in files of their own.
import { readFileSync } from 'node:fs';

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Without a byte order mark, which editors on Windows add. What stands for a letter that was not understood would be a part of a PIN or password, and a wrong one.
 * @throws ErrnoException if it cannot be read, Error without a code if it is no UTF-8
 */
export function readTextFile(path: string): string {
  const bytes = readFileSync(path);
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new Error('is not text in UTF-8', { cause });
  }
}

/** @param error of readTextFile @returns what is to be said after the name of the file */
export function whyUnread(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? message.trim() : `cannot be read (${code})`;
}
