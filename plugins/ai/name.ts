// The rule for names of documentary bases and references: they appear in lists, logs and addresses.
import { Fault } from '../../kernel/fault.ts';
import { normalName } from '../../kernel/normal-form.ts';
import { isLonger } from '../../text/code-points.ts';

const MAX_CHARACTERS = 128;

export function isBaseName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses control characters.
  return name !== '' && !isLonger(name, MAX_CHARACTERS) && !/[\u0000-\u001f\u007f-\u009f/\\]/.test(name) && name !== '.' && name !== '..';
}

/** @param field of the form that holds it @throws Fault BAD_REQUEST */
export function requireName(field: string, name: string): string {
  const normal = normalName(name);
  if (normal !== undefined && isBaseName(normal)) return normal;
  throw new Fault('BAD_REQUEST', { detail: `${field}: must have 1 to ${MAX_CHARACTERS} characters, no control character, / or \\, and must not be . or ..` });
}
