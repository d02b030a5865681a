// Reads JSON as clients' encoders write it, from text to tree in one pass, three times as fast as by way of JSON.parse.
import { TYPE_NAMES } from './enumeration-of.ts';
import { fromNumber, fromText } from './json-value.ts';
import { type Limits, MOST_DEPTH } from './limits.ts';
import { tagOf } from './names.ts';
import { type Node, type Structure, TYPE } from './node.ts';
import { TAG } from './tag.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
/** More digits may not be exact. */
const MOST_DIGITS = 15;

/**
 * Reads one message; made for each. It knows only nodes of `tag`, perhaps `type`, and `value`, in this order and without escapes.
 * Every method answers undefined for anything else, wrong or not: then the `JsonReader` decides, and tells what is wrong. What both read is the same.
 */
export class JsonScanner {
  readonly #text: string;
  #at = 0;
  #left: number;

  constructor(text: string, limits: Limits) {
    this.#text = text;
    this.#left = limits.nodes;
  }

  /** The name of the outermost tag; to be called first. */
  root(): string | undefined {
    return this.#tag();
  }

  /** All that follows the outermost tag. @param tag the root's own */
  body(tag: number): Structure | undefined {
    const node = this.#rest(tag, 0, undefined);
    this.#space();
    return node?.type === TYPE.Structure && this.#at === this.#text.length ? node : undefined;
  }

  /** `{"tag":"…",` */
  #tag(): string | undefined {
    if (!this.#take(0x7b) || !this.#member('"tag"') || !this.#take(QUOTE)) return undefined;
    const name = this.#string();
    return this.#take(COMMA) ? name : undefined;
  }

  /** `"type":"…","value":…}` */
  #rest(tag: number, depth: number, attribute: string | undefined): Node | undefined {
    if (--this.#left < 0) return undefined;
    let type: number | undefined = TYPE.Structure;
    if (this.#member('"type"')) {
      const name = this.#take(QUOTE) ? this.#string() : undefined;
      type = name === undefined || !this.#take(COMMA) ? undefined : TYPE_NAMES.code(name);
      if (type === undefined) return undefined;
    }
    if (!this.#member('"value"')) return undefined;
    const node = type === TYPE.Structure ? this.#structure(tag, depth) : this.#leaf(tag, type, attribute);
    return this.#take(0x7d) ? node : undefined;
  }

  #structure(tag: number, depth: number): Structure | undefined {
    if (depth >= MOST_DEPTH || !this.#take(0x5b)) return undefined;
    const nodes: Node[] = [];
    if (this.#take(0x5d)) return { tag, type: TYPE.Structure, value: nodes };
    let attribute: string | undefined;
    do {
      const name = this.#tag();
      const child = name === undefined ? undefined : tagOf(name);
      const node = child === undefined ? undefined : this.#rest(child, depth + 1, attribute);
      if (node === undefined) return undefined;
      if (tag === TAG.Attribute && child === TAG.AttributeName) {
        if (node.type !== TYPE.TextString) return undefined;
        attribute ??= node.value;
      }
      nodes.push(node);
    } while (this.#take(COMMA));
    return this.#take(0x5d) ? { tag, type: TYPE.Structure, value: nodes } : undefined;
  }

  #leaf(tag: number, type: number, attribute: string | undefined): Node | undefined {
    if (this.#take(QUOTE)) {
      if (type === TYPE.TextString) return this.#ownText(tag);
      const text = type === TYPE.ByteString ? this.#digits() : this.#string();
      return text === undefined ? undefined : fromText(tag, type, text, attribute);
    }
    if (type === TYPE.Boolean) return this.#boolean(tag);
    const number = this.#number();
    return number === undefined ? undefined : fromNumber(tag, type, number);
  }

  /** A text that is kept must not be a slice of the message, which would keep all of it in memory; JSON.parse makes a copy. */
  #ownText(tag: number): Node | undefined {
    const from = this.#at - 1;
    return this.#string() === undefined ? undefined : { tag, type: TYPE.TextString, value: JSON.parse(this.#text.slice(from, this.#at)) };
  }

  /** The rest of a string, its opening quote being read. */
  #string(): string | undefined {
    const text = this.#text;
    const from = this.#at;
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.#at = at + 1;
        return text.slice(from, at);
      }
      if (code === BACKSLASH || code < 0x20) return undefined;
    }
    return undefined;
  }

  /** As `#string`, for what has only digits if it is right at all: long ones are found by native code. */
  #digits(): string | undefined {
    const from = this.#at;
    const end = this.#text.indexOf('"', from);
    this.#at = end + 1;
    return end < 0 ? undefined : this.#text.slice(from, end);
  }

  /** A whole number as JSON writes it. */
  #number(): number | undefined {
    const text = this.#text;
    const from = this.#at;
    const first = text.charCodeAt(from) === 0x2d ? from + 1 : from;
    let at = first;
    let value = 0;
    for (let digit = text.charCodeAt(at) - 0x30; digit >= 0 && digit <= 9; digit = text.charCodeAt(++at) - 0x30) value = value * 10 + digit;
    if (at === first || at - first > MOST_DIGITS || (at - first > 1 && text.charCodeAt(first) === 0x30)) return undefined;
    this.#at = at;
    return first === from ? value : -value;
  }

  #boolean(tag: number): Node | undefined {
    const value = this.#text.startsWith('true', this.#at);
    if (!value && !this.#text.startsWith('false', this.#at)) return undefined;
    this.#at += value ? 4 : 5;
    return { tag, type: TYPE.Boolean, value };
  }

  /** A member's name and its colon, and the space behind it. */
  #member(name: string): boolean {
    this.#space();
    const from = this.#at;
    for (let index = 0; index < name.length; index++) if (this.#text.charCodeAt(from + index) !== name.charCodeAt(index)) return false;
    this.#at = from + name.length;
    if (!this.#take(COLON)) return false;
    this.#space();
    return true;
  }

  #take(code: number): boolean {
    this.#space();
    if (this.#text.charCodeAt(this.#at) !== code) return false;
    this.#at++;
    return true;
  }

  #space(): void {
    for (let code = this.#text.charCodeAt(this.#at); code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09; )
      code = this.#text.charCodeAt(++this.#at);
  }
}
