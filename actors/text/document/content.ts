// What a reader takes out of a document of any kind.
import type { Block } from '../../../text/passages.ts';
import { refuse } from '../refuse.ts';

export interface Content {
  /** Of the document itself; empty if it says none. */
  readonly title: string;
  readonly blocks: readonly Block[];
}

/** Of the text of a document, in characters. */
const MAX_CHARACTERS = 20_000_000;

/** The blocks of a document while it is read: a small file may name the same page or chapter thousands of times. */
export class Blocks {
  readonly all: Block[] = [];
  #characters = 0;

  /** @throws Fault BAD_REQUEST for too much text */
  add(blocks: Iterable<Block>): void {
    for (const block of blocks) {
      this.#characters += block.text.length;
      if (this.#characters > MAX_CHARACTERS) throw refuse(`the document has more than ${MAX_CHARACTERS} characters`);
      this.all.push(block);
    }
  }
}
