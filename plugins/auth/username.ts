// The rule for user names.
import { normalName } from '../../kernel/normal-form.ts';

/** 1-255 characters without control characters, `:` and `/`, and none of the names that mean something else. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
const USERNAME = /^[^:/\u0000-\u001f\u007f-\u009f]{1,255}$/u;
const TAKEN: ReadonlySet<string> = new Set(['.', '..', '*']);

/** A user name in a path, composed. @returns null for what no user can be called */
export function usernameOf(given: string): string | null {
  const name = normalName(given);
  return name !== undefined && isUsername(name) ? name : null;
}

export function isUsername(name: string): boolean {
  return USERNAME.test(name) && !TAKEN.has(name);
}
