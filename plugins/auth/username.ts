// The rule for user names.

/** 1-255 characters without control characters, `:` and `/`, and none of the names that mean something else. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
const USERNAME = /^[^:/\u0000-\u001f\u007f-\u009f]{1,255}$/u;
const TAKEN: ReadonlySet<string> = new Set(['.', '..', '*']);

export function isUsername(name: string): boolean {
  return USERNAME.test(name) && !TAKEN.has(name);
}
