// Language codes of requests: ISO 639-1, in any case; what a tag of BCP 47 has behind the code, such as a script and a region, is ignored.
import { Fault } from '../../kernel/fault.ts';

const CODE = /^(?=.{2,35}$)([a-z]{2})(?:[-_][a-z0-9]{1,8})*$/i;
/** Codes that ISO 639-1 has withdrawn, and their successors: older versions of Java send them. */
const SUCCESSORS: Readonly<Record<string, string>> = { iw: 'he', in: 'id', ji: 'yi', jw: 'jv', mo: 'ro' };
const NAMES = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** @param field of the form that holds it @returns the code in small letters, the present one for one that was withdrawn @throws Fault BAD_REQUEST for anything that is not the code of a language */
export function languageIn(field: string, text: string): string {
  const code = CODE.exec(text)?.[1]?.toLowerCase();
  if (code === undefined || NAMES.of(code) === undefined)
    throw new Fault('BAD_REQUEST', { detail: `${field}: must be a language code of ISO 639-1, such as en or fr` });
  return presentCode(code);
}

/** @returns the code itself, or its successor if it was withdrawn */
export function presentCode(code: string): string {
  return SUCCESSORS[code] ?? code;
}
