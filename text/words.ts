// Cuts a text into words and reduces them to terms, by which passages are found: without case, accents and endings.
import { stemmer } from 'stemmer';
import { foldCase } from './case.ts';
import { isStopWord } from './stop-words.ts';
import { cutBefore } from './surrogate-pair.ts';

/** Scripts that do not separate words by spaces, and whose signs mean something alone or in pairs. */
const SIGNS = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー';
/** Scripts that do not separate words by spaces, and that only a dictionary can cut. */
const JOINED = '\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const UNSPACED = new RegExp(`[${SIGNS}${JOINED}]`, 'gu');
/** In Korean, words have spaces between them, but what they do in a sentence is written at their end. */
const HANGUL = '\\p{Script=Hangul}';
/** Parts of words that are written in one: of each kind of script, letters and digits. */
const PARTS = new RegExp(`[${SIGNS}]+|[${JOINED}]+|[${HANGUL}]+|\\p{N}+|(?:(?![${SIGNS}${JOINED}${HANGUL}])[\\p{L}\\p{M}])+`, 'gu');
/** Words that may have more than one part. */
const MAY_HAVE_PARTS = new RegExp(`[${SIGNS}${JOINED}${HANGUL}]|\\p{N}\\p{L}|\\p{L}\\p{N}`, 'u');
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Longer ones are no words of a language; a stemmer takes time that grows with the length. */
const MAX_CHARACTERS = 64;
/** A name of letters and digits has few parts; a hash has many, which mean nothing. */
const MAX_PARTS = 4;

let segmenter: Intl.Segmenter | undefined;

/** No natural text has as many combining marks in a row (UAX #15 section 13); normalization takes time with the square of their number. */
const MANY_MARKS = /\p{M}{31,65536}/gu;
/** Accents, and points of Hebrew and Arabic. Marks of other scripts are vowels, or make another consonant of one. */
const ACCENTS =
  /(?:[\u0300-\u036f]|[\u0591-\u05bd\u05bf-\u05c7]|[\u0610-\u061a\u064b-\u065f\u0670]|[\u06d6-\u06ed]|[\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f])+/g;

/** Shows where a word may be divided, and is no part of it. */
const SOFT_HYPHEN = '\u00ad';

/**
 * In characters: longer texts are read in slices. A regular expression keeps a place for each character of a match and fails where there are millions, and
 * one character may stand for eighteen.
 */
const SLICE = 16_384;

/** A slice ends before the last space within so many characters of its end, if there is one. */
const TAIL = 256;

/** Without what is no part of a word. */
function slicesOf(whole: string): string[] {
  const text = whole.replaceAll(SOFT_HYPHEN, '').replaceAll(MANY_MARKS, '');
  const slices: string[] = [];
  let at = 0;
  while (text.length - at > SLICE) {
    const most = cutBefore(text, at + SLICE);
    const space = text.slice(most - TAIL, most).search(/\s\S*$/);
    const end = space < 0 ? most : most - TAIL + space;
    slices.push(text.slice(at, end));
    at = end;
  }
  return [...slices, text.slice(at)];
}

/** @returns the text without case, compatibility forms, accents and soft hyphens */
export function fold(text: string): string {
  return slicesOf(text).map(foldSlice).join('');
}

function foldSlice(text: string): string {
  return foldCase(text.normalize('NFKD').replaceAll(ACCENTS, '').normalize('NFC'));
}

/**
 * @returns the words of a text in order, folded. What may be written in one word or in two, such as RFC 5246, is there as a whole and in parts; what has no
 * spaces between words is there in pairs of signs, whatever is around it
 */
export function wordsOf(text: string): string[] {
  return slicesOf(text).flatMap(wordsOfSlice);
}

function wordsOfSlice(text: string): string[] {
  const folded = foldSlice(text);
  const words = folded.match(WORD) ?? [];
  return MAY_HAVE_PARTS.test(folded) ? words.flatMap((word) => (MAY_HAVE_PARTS.test(word) ? partsOf(word) : [word])) : words;
}

/** @returns about how many words a text has, also where no spaces are between them: two signs count as one */
export function lengthInWords(text: string): number {
  return text.split(' ').length + Math.ceil((text.match(UNSPACED)?.length ?? 0) / 2);
}

/** Whether most of a text has no spaces between words. */
export function isUnspaced(text: string): boolean {
  return (text.match(UNSPACED)?.length ?? 0) * 2 > text.length;
}

function partsOf(word: string): string[] {
  const parts = word.match(PARTS) ?? [];
  const found = parts.flatMap(partOf);
  if (parts.length < 2 || UNSPACED_START.test(word)) return found;
  return parts.length > MAX_PARTS ? [word] : [word, ...found];
}

function partOf(part: string): string[] {
  if (SIGNS_ONLY.test(part)) return pairsOf(part, IDEOGRAPH);
  if (HANGUL_ONLY.test(part)) return part.length > 2 ? [part, ...pairsOf(part)] : [part];
  if (!UNSPACED_START.test(part)) return [part];
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
  return [...segmenter.segment(part)].map(({ segment }) => segment);
}

const SIGNS_ONLY = new RegExp(`^[${SIGNS}]`, 'u');
const HANGUL_ONLY = new RegExp(`^[${HANGUL}]`, 'u');
const UNSPACED_START = new RegExp(`[${SIGNS}${JOINED}]`, 'u');
const IDEOGRAPH = /\p{Script=Han}/u;

/** @param alone signs that mean something alone, too @returns each sign with the next one */
function pairsOf(part: string, alone?: RegExp): string[] {
  const signs = [...part];
  if (signs.length === 1) return signs;
  return signs.flatMap((sign, at) => [...(alone?.test(sign) ? [sign] : []), ...(at + 1 < signs.length ? [`${sign}${signs[at + 1]}`] : [])]);
}

/** @param word folded @returns its term; undefined for a word that says nothing of the subject */
export function termOf(word: string): string | undefined {
  if (isStopWord(word)) return undefined;
  return /^[a-z]+$/.test(word) ? stemmer(word.slice(0, MAX_CHARACTERS)) : word.slice(0, MAX_CHARACTERS);
}

/** @returns the terms of a text in order */
export function termsOf(text: string): string[] {
  return [...termsInSlices(text)].flat();
}

/** The same in slices, each of some milliseconds: others may have their turn between them. */
export function* termsInSlices(text: string): Iterable<string[]> {
  for (const slice of slicesOf(text)) yield wordsOfSlice(slice).flatMap((word) => termOf(word) ?? []);
}
