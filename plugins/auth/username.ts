// Reads user names from paths.
import { normalName } from '../../kernel/normal-form.ts';
import { isUsername } from '../../kernel/username.ts';

/** A user name from a path, in NFC. @returns null for a text that is not a valid user name */
export function usernameOf(given: string): string | null {
  const name = normalName(given);
  return name !== undefined && isUsername(name) ? name : null;
}
