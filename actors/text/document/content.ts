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
      this.#requireRoom(this.#characters);
      this.all.push(block);
    }
  }

  /**
   * To be asked while a part is read, before all of it is: its text may be more than there is room for.
   * @returns a function that takes the length of each text of the part, with one space for each run of them @throws Fault BAD_REQUEST for too much text
   */
  reading(): (characters: number) => void {
    let read = this.#characters;
    return (characters) => {
      read += characters;
      this.#requireRoom(read);
    };
  }

  #requireRoom(characters: number): void {
    if (characters > MAX_CHARACTERS) throw refuse(`the document has more than ${MAX_CHARACTERS} characters`);
  }
}
