// The rule for user names, whoever gives them: a path, an administrator or a client certificate.

/** 1 to 255 characters without control characters, `:` and `/`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses control characters.
const USERNAME = /^[^:/\u0000-\u001f\u007f-\u009f]{1,255}$/u;
/** They have another meaning: clients and proxies take `.` and `..` out of paths (RFC 3986 section 5.2.4), and `*` stands for everybody. */
export const RESERVED_USERNAMES: readonly string[] = ['.', '..', '*'];

/** @param name in NFC */
export function isUsername(name: string): boolean {
  return USERNAME.test(name) && !RESERVED_USERNAMES.includes(name);
}
