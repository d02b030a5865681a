// The second convention for FF1 requests: the additional data is the alphabet or a JSON description of the text, and the IV is the tweak.
// Only the fields differ. The algorithm is the standard's, with ten rounds, so it cannot decrypt text that was encrypted with more rounds.
import { CryptoError } from '../crypto-error.ts';

/** The parsed additional data. */
export interface FpeDescription {
  /** `text`: characters outside the alphabet stay unchanged. `integer`: such characters are an error. `float`: see fpe-double.ts. */
  readonly type: 'text' | 'integer' | 'float';
  /** In the order of Unicode, which is the order of the numerals. */
  readonly characters: readonly string[];
}

/** Maximum length of additional data. */
const MAX_BYTES = 4096;
const RADIX_OF_INTEGER = { minimum: 2, maximum: 16 };

/** Each value is a list of ranges: the first and the last character of each. */
const NAMED: Readonly<Record<string, string>> = {
  numeric: '09',
  hexadecimal: '09af',
  alpha_lower: 'az',
  alpha_upper: 'AZ',
  alpha: 'AZaz',
  alpha_numeric: '09AZaz',
  chinese: '\u4e00\u9fff',
  latin1sup: '!~\u00c0\u00ff',
  latin1sup_alphanum: '09AZaz\u00c0\u00ff',
  // Without the surrogates, which are not characters.
  utf: '\0\ud7ff\ue000\u{10000}',
  ascii_printable: ' ~',
  base64: '++/9AZaz',
};

/** Names that are valid only in the vendor attribute; here each would be an alphabet of its own letters. */
const OF_ATTRIBUTE: ReadonlySet<string> = new Set(['alphabetic', 'alphanumeric']);

const codeOf = (character: string): number => character.codePointAt(0) as number;
const made = new Map<string, readonly string[]>();

function charactersOf(alphabet: string): readonly string[] {
  const known = made.get(alphabet);
  if (known) return known;
  if (!Object.hasOwn(NAMED, alphabet)) return [...new Set(alphabet)].sort((a, b) => codeOf(a) - codeOf(b));
  const ends = [...(NAMED[alphabet] as string)].map(codeOf);
  const characters: string[] = [];
  for (let at = 0; at < ends.length; at += 2)
    for (let code = ends[at] as number; code <= (ends[at + 1] as number); code++) characters.push(String.fromCodePoint(code));
  made.set(alphabet, characters);
  return characters;
}

/** @throws CryptoError invalid if the additional data is not a valid description */
export function fpeDescription(additionalData: Uint8Array): FpeDescription {
  if (additionalData.length > MAX_BYTES) throw invalid(`is longer than ${MAX_BYTES} bytes`);
  const text = textOf(additionalData);
  if (text === undefined) throw invalid('is not UTF-8');
  if (OF_ATTRIBUTE.has(text)) throw invalid(`cannot be ${text}: say alpha or alpha_numeric, or give ${text} as the attribute alphabet and no additional data`);
  if (!text.startsWith('{')) return { type: 'text', characters: several(charactersOf(text || 'alpha_numeric')) };
  const { type = 'text', alphabet } = membersOf(text);
  if (alphabet !== undefined && typeof alphabet !== 'string') throw invalid('has an alphabet that is not a string');
  // UTF-8 cannot express an unpaired surrogate: what has become one could not be decrypted.
  if (alphabet?.isWellFormed() === false) throw invalid('has an alphabet with an unpaired surrogate');
  if (type === 'float') return { type, characters: charactersOf('hexadecimal') };
  if (type === 'text') return { type, characters: several(charactersOf(alphabet ?? 'alpha_numeric')) };
  if (type !== 'integer') throw invalid('has an unknown type: it must be text, integer or float');
  if (alphabet === undefined) throw invalid('has no alphabet, which an integer needs');
  const characters = several(charactersOf(alphabet));
  const { minimum, maximum } = RADIX_OF_INTEGER;
  if (characters.length > maximum) throw invalid(`has an alphabet of ${characters.length} characters; for an integer it must have ${minimum} to ${maximum}`);
  return { type, characters };
}

/**
 * Whether additional data without an IV is ambiguous: it may be meant as an alphabet or as the tweak.
 * @param characters the alphabet of the text if the additional data is the tweak; undefined if only names and JSON count as ambiguous
 */
export function mayDescribe(additionalData: Uint8Array, characters: ReadonlySet<string> | undefined): boolean {
  const text = additionalData.length > MAX_BYTES ? undefined : textOf(additionalData);
  // Tweaks that consist of numbers contain control characters; alphabets do not.
  if (text === undefined || /\p{Cc}/u.test(text)) return false;
  if (Object.hasOwn(NAMED, text) || OF_ATTRIBUTE.has(text)) return true;
  if (text.startsWith('{')) return isJson(text);
  const own = new Set(text);
  return own.size > 1 && characters !== undefined && [...own].some((character) => characters.has(character));
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).replace(/^\p{White_Space}+|\p{White_Space}+$/gu, '');
  } catch {
    return undefined;
  }
}

function membersOf(text: string): { readonly type?: unknown; readonly alphabet?: unknown } {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('begins like JSON but is not valid JSON');
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function several(characters: readonly string[]): readonly string[] {
  if (characters.length < 2) throw invalid('is not an alphabet, which must have 2 to 65536 characters');
  return characters;
}

function invalid(why: string): CryptoError {
  return new CryptoError('invalid', `the additional data of FF1, given beside a tweak in the IV, ${why}`);
}
