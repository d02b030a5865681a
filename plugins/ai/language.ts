// Language codes of requests: ISO 639-1, in any case; what a tag of BCP 47 has behind the code, such as a script and a region, is ignored.
import { Fault } from '../../kernel/fault.ts';

const CODE = /^(?=.{2,35}$)([a-z]{2})(?:[-_][a-z0-9]{1,8})*$/i;
const NAMES = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** @param field of the form that holds it @returns the code in small letters @throws Fault BAD_REQUEST for anything that is not the code of a language */
export function languageIn(field: string, text: string): string {
  const code = CODE.exec(text)?.[1]?.toLowerCase();
  if (code === undefined || NAMES.of(code) === undefined)
    throw new Fault('BAD_REQUEST', { detail: `${field}: must be a language code of ISO 639-1, such as en or fr` });
  return code;
}
