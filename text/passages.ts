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
  const passages = new Passages();
  for (const block of blocks) passages.add(block);
  return passages.end();
}

class Passages {
  readonly #all: Passage[] = [];
  #chapter: string | undefined;
  /** Whether nothing stands under the heading yet. */
  #isBare = false;
  #page: number | undefined;
  #open = '';
  #words = 0;

  add({ text, isHeading, page }: Block): void {
    if (isHeading || page !== this.#page) this.#close();
    this.#page = page;
    if (isHeading) this.#begin(text);
    // What is too long for a heading, such as a whole page in its style, is text as well.
    if (!isHeading || text.length > MAX_CHAPTER) this.#write(text);
  }

  end(): Passage[] {
    this.#close();
    this.#keepBare();
    return this.#all;
  }

  /** A heading directly under another one goes with it: a part of a book, and its first chapter. */
  #begin(heading: string): void {
    const both = this.#isBare ? `${this.#chapter} – ${heading}` : heading;
    const isShort = both.length <= MAX_CHAPTER;
    if (!isShort) this.#keepBare();
    this.#chapter = isShort ? both : heading.slice(0, cutBefore(heading, MAX_CHAPTER));
    this.#isBare = true;
  }

  /** A heading of which no passage tells is one itself. */
  #keepBare(): void {
    if (this.#isBare) this.#all.push(this.#onPage({ text: this.#chapter ?? '' }));
    this.#isBare = false;
  }

  #write(text: string): void {
    this.#isBare = false;
    for (const [at, sentence] of sentencesOf(text).flatMap(cut).entries()) {
      const length = lengthInWords(sentence);
      if (this.#words > 0 && this.#words + length > MAX_WORDS) this.#close();
      if (this.#open !== '') this.#open += at === 0 ? BETWEEN : ' ';
      this.#open += sentence;
      this.#words += length;
    }
  }

  #close(): void {
    if (this.#open !== '') this.#all.push(this.#onPage({ text: this.#open, ...(this.#chapter !== undefined && { chapter: this.#chapter }) }));
    this.#open = '';
    this.#words = 0;
  }

  #onPage(passage: Passage): Passage {
    return this.#page === undefined ? passage : { ...passage, page: this.#page };
  }
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
