// The rule for user names.
import { normalName } from '../../kernel/normal-form.ts';

/** 1 to 255 characters without control characters, `:` and `/`. The names in TAKEN have another meaning. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses control characters.
const USERNAME = /^[^:/\u0000-\u001f\u007f-\u009f]{1,255}$/u;
const TAKEN: ReadonlySet<string> = new Set(['.', '..', '*']);

/** A user name from a path, in NFC. @returns null for a text that is not a valid user name */
export function usernameOf(given: string): string | null {
  const name = normalName(given);
  return name !== undefined && isUsername(name) ? name : null;
}

export function isUsername(name: string): boolean {
  return USERNAME.test(name) && !TAKEN.has(name);
}
