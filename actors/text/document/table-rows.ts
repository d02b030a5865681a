// Collects the blocks of a document in order, and makes one of each row of a table: a cell alone says nothing.
import type { Block } from '../../../text/passages.ts';

/** The blocks of each cell. */
type Row = Block[][];

/** The same word in HTML and in a docx. */
const ROW = 'tr';
const CELL = /^t[dhc]$/;

export class TableRows {
  readonly #blocks: Block[] = [];
  /** A table may stand in a cell of another. */
  readonly #rows: Row[] = [];

  add(block: Block): void {
    const row = this.#rows.at(-1);
    const cell = row?.at(-1);
    if (cell) cell.push(block);
    else if (row) row.push([block]);
    else this.#blocks.push(block);
  }

  /** @param name of an element without its prefix */
  open(name: string): void {
    if (name === ROW) this.#rows.push([]);
    else if (CELL.test(name)) this.#rows.at(-1)?.push([]);
  }

  close(name: string): void {
    if (name === ROW) this.#endRow();
  }

  /** @returns all blocks, those of rows too that are not closed */
  end(): readonly Block[] {
    while (this.#rows.length > 0) this.#endRow();
    return this.#blocks;
  }

  /** A cell of several paragraphs, or with a heading, is part of a layout: its blocks stay as they are. */
  #endRow(): void {
    const cells = this.#rows.pop() ?? [];
    const all = cells.flat();
    const isOne = all.length > 1 && cells.every((cell) => cell.length <= 1) && !all.some(({ isHeading }) => isHeading);
    if (isOne) this.add({ text: all.map(({ text }) => text).join(' '), isHeading: false });
    else for (const block of all) this.add(block);
  }
}
