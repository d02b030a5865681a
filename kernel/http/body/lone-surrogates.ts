// Finds halves of surrogate pairs in a body. JSON can escape them, but they are no characters: stored as UTF-8, different texts with them become the same.

/** Without an escape there is none: the bytes of a body are valid UTF-8. */
const ESCAPED = /\\u[dD][89a-fA-F]/;

/** @param json the text that `value` was parsed from @returns whether a text or a name of a member has half of a surrogate pair */
export function hasLoneSurrogate(json: string, value: unknown): boolean {
  return ESCAPED.test(json) && isIllFormed(value);
}

/** Bodies are checked for depth before, so it cannot overflow the stack. */
function isIllFormed(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, each]) => !name.isWellFormed() || isIllFormed(each));
}
