// Parses only the XML 1.0 that KMIP needs: a general parser also handles document types, entities and namespaces, which a server must not expand.
import type { Refusal } from '../refusal.ts';
import { type Limits, MAX_DEPTH } from './limits.ts';
import { invalid } from './place.ts';

export interface Element {
  readonly name: string;
  /** Includes `xmlns` and similar attributes. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: Element[];
}

const NAME = /[A-Za-z_][\w.:-]*/y;
const SPACE = /[ \t\r\n]*/y;
const ATTRIBUTE = /([A-Za-z_][\w.:-]*)[ \t\r\n]*=[ \t\r\n]*(?:"([^"<]*)"|'([^'<]*)')/y;
const DECLARATION = /<\?xml[ \t\r\n][^<>]*\?>/y;
const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6}));|&/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** Characters that XML cannot represent, not even by references (XML 1.0 section 2.2). */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const MAX_ATTRIBUTES = 16;

/** @throws Refusal InvalidMessage with the offset of the character */
export function parseXml(text: string, limits: Limits): Element {
  return new Parser(text, limits).document();
}

class Parser {
  readonly #text: string;
  #at = 0;
  #left: number;

  constructor(text: string, limits: Limits) {
    this.#text = text;
    this.#left = limits.nodes;
  }

  document(): Element {
    if (this.#text.startsWith('\ufeff')) this.#at = 1;
    this.#take(DECLARATION);
    this.#skip();
    const root = this.#elements();
    this.#skip();
    if (this.#at !== this.#text.length) throw this.#refusal('there is content after the end of the message');
    return root;
  }

  /** Reads the current element and everything inside it. Uses a list of open elements instead of recursion. */
  #elements(): Element {
    const open: Element[] = [];
    for (;;) {
      const closed = this.#text.startsWith('</', this.#at) ? this.#end(open) : this.#start(open);
      if (closed !== undefined && open.length === 0) return closed;
      this.#skip();
    }
  }

  /** @returns the element if it is already closed (`<a/>`) */
  #start(open: Element[]): Element | undefined {
    if (this.#text[this.#at] !== '<') throw this.#refusal('expected an element');
    this.#at++;
    const name = this.#take(NAME);
    if (name === undefined) throw this.#refusal('document types, processing instructions and CDATA are not allowed');
    if (--this.#left < 0) throw this.#refusal('too many fields in one message');
    // The innermost structure may contain a field, so elements nest one level deeper than structures.
    if (open.length > MAX_DEPTH) throw this.#refusal(`structures are nested too deep: at most ${MAX_DEPTH} levels are allowed`);
    const element: Element = { name, attributes: this.#attributes(), children: [] };
    open.at(-1)?.children.push(element);
    if (this.#text.startsWith('/>', this.#at)) {
      this.#at += 2;
      return element;
    }
    if (this.#text[this.#at] !== '>') throw this.#refusal('expected an attribute or the end of the tag');
    this.#at++;
    open.push(element);
    return undefined;
  }

  #end(open: Element[]): Element {
    this.#at += 2;
    const element = open.pop();
    const name = this.#take(NAME);
    this.#take(SPACE);
    if (element === undefined || name !== element.name || this.#text[this.#at] !== '>')
      throw this.#refusal(element === undefined ? 'this end tag has no start tag' : `expected </${element.name}>`);
    this.#at++;
    return element;
  }

  #attributes(): Map<string, string> {
    const attributes = new Map<string, string>();
    for (;;) {
      const before = this.#at;
      this.#take(SPACE);
      ATTRIBUTE.lastIndex = this.#at;
      const match = this.#at === before ? null : ATTRIBUTE.exec(this.#text);
      if (match === null) return attributes;
      const name = match[1] as string;
      if (attributes.has(name) || attributes.size === MAX_ATTRIBUTES)
        throw this.#refusal(`an element must have each attribute only once, and at most ${MAX_ATTRIBUTES} attributes`);
      attributes.set(name, this.#unescape(match[2] ?? (match[3] as string)));
      this.#at = ATTRIBUTE.lastIndex;
    }
  }

  /** Literal white space becomes spaces, but white space from character references stays as it is (XML 1.0 section 3.3.3). */
  #unescape(raw: string): string {
    const value = raw.replaceAll(/\r\n|[\t\n\r]/g, ' ').replaceAll(REFERENCE, (whole, entity, decimal, hex) => {
      // Each reference takes a microsecond: a body full of them would take 15 seconds.
      if (--this.#left < 0) throw this.#refusal('too many references in one message');
      if (entity !== undefined) return ENTITIES[entity] as string;
      const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex, 16);
      if (whole === '&' || code > 0x10ffff) throw this.#refusal('& must begin a character reference or one of &amp; &lt; &gt; &quot; &apos;');
      return String.fromCodePoint(code);
    });
    if (FORBIDDEN.test(value)) throw this.#refusal('XML does not allow this character');
    return value;
  }

  /** Moves past white space and comments. */
  #skip(): void {
    this.#take(SPACE);
    while (this.#text.startsWith('<!--', this.#at)) {
      const end = this.#text.indexOf('--', this.#at + 4);
      if (end < 0 || this.#text[end + 2] !== '>') throw this.#refusal('the comment has no end, or contains --');
      this.#at = end + 3;
      this.#take(SPACE);
    }
  }

  /** Returns the match at the current position, and moves past it. */
  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text)?.[0];
    this.#at += match?.length ?? 0;
    return match;
  }

  #refusal(message: string): Refusal {
    return invalid(`XML, character ${this.#at}: ${message}`);
  }
}
