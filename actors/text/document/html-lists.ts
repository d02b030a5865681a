// Counts the items of the lists of an HTML document: browsers show their numbers, which stand in no text (HTML, sections 4.4.5 to 4.4.8).
import { letterNumber, romanNumber } from './list-numbers.ts';
import type { Attributes } from './markup.ts';

const LISTS = new Set(['ol', 'ul', 'menu', 'dir']);
const INTEGER = /^\s*[+-]?\d{1,9}/;
const HIDDEN = /list-style(-type)?\s*:[^;]*\bnone\b/i;
const FORMATS: Readonly<Record<string, (value: number) => string>> = {
  a: letterNumber,
  A: (value) => letterNumber(value).toUpperCase(),
  i: romanNumber,
  I: (value) => romanNumber(value).toUpperCase(),
};

interface List {
  next: number;
  readonly step: number;
  readonly format: (value: number) => string;
}

export class HtmlLists {
  /** A list may stand in another; undefined for one that shows no numbers. */
  readonly #open: (List | undefined)[] = [];
  #number = '';

  open(name: string, attributes: Attributes): void {
    if (LISTS.has(name)) this.#open.push(name === 'ol' ? listOf(attributes) : undefined);
    else if (name === 'li') this.#number = this.#next(attributes);
  }

  close(name: string): void {
    if (LISTS.has(name)) this.#open.pop();
    // An item without text shows its number to nobody.
    if (name === 'li') this.#number = '';
  }

  /** @param text of the next block @returns it behind the number of the item that it begins */
  numbered(text: string): string {
    const number = this.#number;
    this.#number = '';
    // Some books write the number themselves.
    return number === '' || text.startsWith(number) ? text : `${number} ${text}`;
  }

  #next({ value = '' }: Attributes): string {
    const list = this.#open.at(-1);
    if (!list) return '';
    const number = integerOf(value) ?? list.next;
    list.next = number + list.step;
    return `${list.format(number)}.`;
  }
}

/** @returns undefined for a list without numbers, and for one that counts down from the number of its items, which is not known yet */
function listOf({ start = '', type = '', reversed, style = '' }: Attributes): List | undefined {
  const first = integerOf(start);
  if (HIDDEN.test(style) || (reversed !== undefined && first === undefined)) return undefined;
  return { next: first ?? 1, step: reversed === undefined ? 1 : -1, format: FORMATS[type] ?? String };
}

function integerOf(text: string): number | undefined {
  const digits = INTEGER.exec(text)?.[0];
  return digits === undefined ? undefined : Number(digits);
}
