// Cuts a text into sentences by the rules of Unicode (UAX #29), which fit most languages.
import { squeeze } from './squeeze.ts';

const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' });
/** Characters at the end of a sentence that are looked at: thousands in a row may end like this. */
const TAIL = 16;
/** An abbreviation before a name ends no sentence. */
const ABBREVIATION = /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|Mme|Mlle|M|No|Fig|vs|cf|e\.g|i\.e|[A-Z])\.[^\S\u2029]*$/u;

/** The number of an item, of a heading or of a line stands before its sentence. */
const NUMBER = /^\s*\(?(?:\p{N}{1,4}|\p{L}|[ivxlcIVXLC]{1,6})(?:\.\p{N}{1,4})*[.)][^\S\u2029]*$/u;

/** An empty line, or the next item of a list, ends a paragraph; other line breaks come from the layout. */
const PARAGRAPH = /\n[^\S\n]*(?:\n\s*|(?=[-*•] ))/;
/** What ends a sentence, with quotation marks, brackets and the number of a note that may stand behind it. */
const END = /[.!?…。！？؟۔։।።][\p{Pe}\p{Pf}"'\s]*(?:(?<=\p{Ll}{4}[.!?…]\p{Pf}?)\d{1,3}\s*)?$/u;

/** Behind a sentence the number of a note stands without a space. Unicode takes it for the end of a number, or for the beginning of the next sentence. */
const NOTE = /(?<=\p{Ll}{4}[.!?…]\p{Pf}?\d{1,3}\s)(?=\p{Lu})/u;
const NOTE_NEXT = /(?<=\S)\d{1,3}\]?\s(?=\p{Lu})/uy;

/** What Unicode has between paragraphs: a sentence ends there. */
const SEPARATOR = '\u2029';

/** @returns the sentences in order, without the space around them; no sentence goes on in the next paragraph */
export function sentencesOf(text: string): string[] {
  const paragraphs = text.split(PARAGRAPH).map((paragraph) => squeeze(paragraph).trim());
  // Segmented as one text: to begin takes longer than a sentence does, and a list has a hundred thousand paragraphs.
  const whole = paragraphs.join(SEPARATOR);
  return sentenceSpans(whole)
    .map(([start, end]) => whole.slice(start, end).trim())
    .filter((sentence) => sentence !== '');
}

/** @returns where each sentence of a text begins and ends, in UTF-16 units: the next begins where one ends, and together they are the whole text */
export function sentenceSpans(text: string): (readonly [start: number, end: number])[] {
  const spans: (readonly [number, number])[] = [];
  let start = 0;
  for (const end of endsOf(text)) {
    if (end <= start || ABBREVIATION.test(text.slice(Math.max(start, end - TAIL), end)) || (end - start <= TAIL && NUMBER.test(text.slice(start, end))))
      continue;
    spans.push([start, end]);
    start = end;
  }
  if (start < text.length) spans.push([start, text.length]);
  return spans;
}

function* endsOf(text: string): Iterable<number> {
  for (const { segment, index } of segmenter.segment(text)) {
    let end = index;
    for (const part of segment.split(NOTE)) {
      end += part.length;
      NOTE_NEXT.lastIndex = end;
      yield NOTE_NEXT.test(text) ? NOTE_NEXT.lastIndex : end;
    }
  }
}

/** Whether a text ends as sentences do; headings, items of lists and rows of tables mostly do not. */
export function endsSentence(text: string): boolean {
  return END.test(text.slice(-TAIL));
}
