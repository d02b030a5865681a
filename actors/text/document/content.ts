// What a reader takes out of a document of any kind.
import type { Block } from '../../../text/passages.ts';

export interface Content {
  /** Of the document itself; empty if it says none. */
  readonly title: string;
  readonly blocks: readonly Block[];
}
