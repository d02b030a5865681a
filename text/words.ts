// Cuts a text into words and reduces them to terms, by which passages are found: without case, accents and endings.
import { stemmer } from 'stemmer';
import { isStopWord } from './stop-words.ts';

/** Scripts that do not separate words by spaces. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORD = /[\p{L}\p{N}]+/gu;
/** Longer ones are no words of a language; a stemmer takes time that grows with the length. */
const MAX_CHARACTERS = 64;

let segmenter: Intl.Segmenter | undefined;

/** No natural text has as many combining marks in a row (UAX #15 section 13); normalization takes time with the square of their number. */
const MANY_MARKS = /\p{M}{31,}/gu;

/** @returns the text without case, compatibility forms and accents */
export function fold(text: string): string {
  return text
    .replaceAll(MANY_MARKS, '')
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
}

/** @returns the words of a text in order, folded */
export function wordsOf(text: string): string[] {
  const folded = fold(text);
  if (!UNSPACED.test(folded)) return folded.match(WORD) ?? [];
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
  return [...segmenter.segment(folded)].flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []));
}

/** @param word folded @returns its term; undefined for a word that says nothing of the subject */
export function termOf(word: string): string | undefined {
  if (isStopWord(word)) return undefined;
  return /^[a-z]+$/.test(word) ? stemmer(word.slice(0, MAX_CHARACTERS)) : word.slice(0, MAX_CHARACTERS);
}

/** @returns the terms of a text in order */
export function termsOf(text: string): string[] {
  return wordsOf(text).flatMap((word) => termOf(word) ?? []);
}
