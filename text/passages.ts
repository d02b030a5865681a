// Cuts the blocks of a document into passages: whole sentences of one chapter or page, long enough to be understood and short enough to be quoted.
import { sentencesOf } from './sentences.ts';
import { cutBefore } from './surrogate-pair.ts';
import { isUnspaced, lengthInWords } from './words.ts';

/** A paragraph, list item or heading, in the order of the document. */
export interface Block {
  readonly text: string;
  readonly isHeading: boolean;
  /** From 1, for documents that have pages. */
  readonly page?: number;
}

export interface Passage {
  /** With an empty line between blocks: no sentence goes on in the next one. */
  readonly text: string;
  /** The heading that it stands under. */
  readonly chapter?: string;
  readonly page?: number;
}

/** In words. A shorter passage takes the next sentences too, unless a heading or page begins. */
const MAX_WORDS = 160;
/** In characters: a heading is repeated with every passage. */
const MAX_CHAPTER = 200;
/** In characters: a longer sentence, such as a table without full stops, is cut at a space. */
const MAX_SENTENCE = 2_000;
/** The same where a sign is a syllable or a word. */
const MAX_UNSPACED = 400;

/** `sentencesOf` ends a sentence here: a heading in bold type, an item of a list or a row of a table has no full stop. */
const BETWEEN = '\n\n';

export function passagesOf(blocks: Iterable<Block>): Passage[] {
  const passages: Passage[] = [];
  let chapter: string | undefined;
  let page: number | undefined;
  let open = '';
  let words = 0;
  const close = () => {
    if (open !== '') passages.push({ text: open, ...(chapter !== undefined && { chapter }), ...(page !== undefined && { page }) });
    open = '';
    words = 0;
  };
  for (const block of blocks) {
    if (block.isHeading || block.page !== page) close();
    page = block.page;
    if (block.isHeading) chapter = block.text.slice(0, cutBefore(block.text, MAX_CHAPTER));
    else
      for (const [at, sentence] of sentencesOf(block.text).flatMap(cut).entries()) {
        const length = lengthInWords(sentence);
        if (words > 0 && words + length > MAX_WORDS) close();
        if (open !== '') open += at === 0 ? BETWEEN : ' ';
        open += sentence;
        words += length;
      }
  }
  close();
  return passages.length === 0 && chapter !== undefined ? [{ text: chapter, ...(page !== undefined && { page }) }] : passages;
}

function cut(sentence: string): string[] {
  const parts: string[] = [];
  let rest = sentence;
  const limit = isUnspaced(sentence) ? MAX_UNSPACED : MAX_SENTENCE;
  while (rest.length > limit) {
    const space = rest.lastIndexOf(' ', limit);
    const at = space > 0 ? space : cutBefore(rest, limit);
    parts.push(rest.slice(0, at));
    rest = rest.slice(at).trimStart();
  }
  return [...parts, rest];
}
