// Format-preserving encryption of text with FF1, an alphabet and a 256-bit AES key.
import { CryptoError } from '../crypto-error.ts';
import { keyObject, type SecretKey } from '../key/secret-key.ts';
import { requireOn } from '../switched-off.ts';
import { ff1 } from './ff1.ts';
import type { FpeDescription } from './fpe-description.ts';
import { decimalOf, doubleBits } from './fpe-double.ts';

const DIGITS = '0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const PRESET: Readonly<Record<string, string>> = {
  numeric: DIGITS,
  hexadecimal: `${DIGITS}abcdef`,
  alphabetic: LOWER + LOWER.toUpperCase(),
  alphanumeric: DIGITS + LOWER + LOWER.toUpperCase(),
};

const KEY_BYTES = 32;
/** The minimum number of strings of the text's length (SP 800-38G revision 1, section 5): with fewer, an attacker could guess the text. */
const MIN_DOMAIN = 1_000_000;
/** In characters; the time grows with the square of the length. */
const MAX_TEXT = 4096;
const MAX_RADIX = 65_536;
const MAX_TWEAK_BYTES = 65_536;

/** The alphabet of the text, and the tweak. */
export interface FpeParameters {
  /** `numeric` (the default), `alphabetic`, `alphanumeric`, `hexadecimal`, or the characters themselves, each once. */
  readonly alphabet?: string;
  /** 2 to 36, instead of an alphabet: digits, then lower-case letters. */
  readonly radix?: number;
  /** Instead of both. */
  readonly described?: FpeDescription;
  /** Public. Each tweak selects a different permutation. Empty by default. */
  readonly tweak?: Uint8Array;
}

/**
 * Reads parameters from the fields of a vendor extension; `tweak` is hexadecimal text or bytes. If there is no tweak, the additional data
 * of the request is the tweak.
 * @throws CryptoError invalid
 */
export function fpeParametersFrom(fields: Readonly<Record<string, unknown>>, additionalData?: Uint8Array): FpeParameters {
  const { alphabet, radix, tweak, ...rest } = fields;
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) throw invalid(`${unknown} is not a parameter of format-preserving encryption`);
  if (alphabet !== undefined && typeof alphabet !== 'string') throw invalid('the alphabet must be a string');
  if (radix !== undefined && typeof radix !== 'number') throw invalid('the radix must be a number');
  const bytes = tweak === undefined ? additionalData : tweakBytes(tweak);
  return { ...(alphabet !== undefined && { alphabet }), ...(radix !== undefined && { radix }), ...(bytes !== undefined && { tweak: bytes }) };
}

/**
 * @param data UTF-8 text in characters of the alphabet
 * @returns UTF-8 text with the same number of characters of the alphabet
 * @throws CryptoError invalid for a wrong key, alphabet, length or character; the message shows nothing of the text
 */
export function ff1Encrypt(key: SecretKey, parameters: FpeParameters, data: Uint8Array): Uint8Array {
  return permute(key, parameters, data, true);
}

export function ff1Decrypt(key: SecretKey, parameters: FpeParameters, data: Uint8Array): Uint8Array {
  return permute(key, parameters, data, false);
}

function permute(key: SecretKey, parameters: FpeParameters, data: Uint8Array, encrypting: boolean): Uint8Array {
  requireOn('FF1');
  const object = keyObject(key);
  if (object.symmetricKeySize !== KEY_BYTES) throw invalid('FF1 takes an AES key of 256 bits');
  const { tweak = new Uint8Array(), described } = parameters;
  if (tweak.length > MAX_TWEAK_BYTES) throw invalid(`the tweak is longer than ${MAX_TWEAK_BYTES} bytes`);
  const characters = described?.characters ?? alphabetOf(parameters);
  const given = [...decodeText(data)];
  if (given.length > MAX_TEXT) throw invalid(`the text is longer than ${MAX_TEXT} characters`);
  if (described?.type !== 'float') return Buffer.from(turn(given, described?.type === 'text'));
  return Buffer.from(encrypting ? turn([...doubleBits(given.join(''))], false) : decimalOf(turn(bitsIn(given), false)));

  function turn(text: readonly string[], keepsOthers: boolean): string {
    const { numerals, others } = numeralsOf(text, characters, keepsOthers);
    const out = ff1(object, characters.length, tweak, numerals, encrypting).values();
    return text.map((_, at) => others.get(at) ?? characters[out.next().value as number]).join('');
  }
}

function bitsIn(text: readonly string[]): string[] {
  const bits = text.join('').trim().toLowerCase();
  if (!/^[0-9a-f]{16}$/.test(bits)) throw invalid('to decrypt a float, the text must be 16 hexadecimal digits');
  return [...bits];
}

function alphabetOf({ alphabet, radix }: FpeParameters): readonly string[] {
  if (radix !== undefined) {
    if (alphabet !== undefined) throw invalid('give an alphabet or a radix, not both');
    if (!Number.isInteger(radix) || radix < 2 || radix > 36) throw invalid('the radix must be 2 to 36; for a larger one give an alphabet');
    return [...(DIGITS + LOWER)].slice(0, radix);
  }
  const name = alphabet ?? 'numeric';
  const characters = [...(Object.hasOwn(PRESET, name) ? (PRESET[name] ?? '') : name)];
  if (characters.length < 2 || characters.length > MAX_RADIX) throw invalid(`the alphabet must have 2 to ${MAX_RADIX} characters, not ${characters.length}`);
  if (!name.isWellFormed() || new Set(characters).size !== characters.length)
    throw invalid('the alphabet must have each character only once, and no unpaired surrogate');
  return characters;
}

interface Numerals {
  readonly numerals: readonly number[];
  /** Characters outside the alphabet, by their position in the text. */
  readonly others: ReadonlyMap<number, string>;
}

function numeralsOf(text: readonly string[], characters: readonly string[], keepsOthers: boolean): Numerals {
  const place = placesOf(characters);
  const numerals: number[] = [];
  const others = new Map<number, string>();
  for (const [at, character] of text.entries()) {
    const numeral = place.get(character);
    if (numeral !== undefined) numerals.push(numeral);
    else if (keepsOthers) others.set(at, character);
    else throw invalid('the text has a character outside the alphabet');
  }
  const minimum = Math.max(2, shortest(characters.length));
  if (numerals.length < minimum) throw invalid(`the text is too short: with an alphabet of ${characters.length} characters it needs at least ${minimum}`);
  return { numerals, others };
}

/** A cache, useful for alphabets with names because these exist only once. */
const places = new WeakMap<readonly string[], ReadonlyMap<string, number>>();

function placesOf(characters: readonly string[]): ReadonlyMap<string, number> {
  const known = places.get(characters);
  if (known) return known;
  const found = new Map(characters.map((character, i) => [character, i]));
  places.set(characters, found);
  return found;
}

/** The minimum length for which there are enough strings. */
function shortest(radix: number): number {
  let length = 0;
  for (let domain = 1; domain < MIN_DOMAIN; domain *= radix) length++;
  return length;
}

function decodeText(data: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    throw invalid('the text is not UTF-8');
  }
}

function tweakBytes(tweak: unknown): Uint8Array {
  if (tweak instanceof Uint8Array) return tweak;
  if (typeof tweak === 'string' && /^(?:[0-9a-f]{2})*$/i.test(tweak)) return Buffer.from(tweak, 'hex');
  throw invalid('the tweak must be bytes or hexadecimal digits');
}

function invalid(message: string): CryptoError {
  return new CryptoError('invalid', message);
}
