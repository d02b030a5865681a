// The rules for a new password.

const MIN_BYTES = 8;
const MAX_BYTES = 1_024;

export const NEW_PASSWORD = `${MIN_BYTES} to ${MAX_BYTES} bytes of UTF-8 when composed (NFC), and neither the user name nor the old password`;

/** @param password in NFC @returns a text that says what is wrong with it, or undefined */
export function newPasswordProblem(password: string, username: string): string | undefined {
  const bytes = Buffer.byteLength(password);
  if (bytes < MIN_BYTES || bytes > MAX_BYTES) return `it must have ${MIN_BYTES} to ${MAX_BYTES} bytes`;
  return password === username ? 'it must differ from the user name' : undefined;
}
