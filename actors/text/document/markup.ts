// Reads HTML and XML into blocks of text: paragraphs, list items, cells and headings, without scripts and styles.
import { Parser } from 'htmlparser2';
import type { Block } from '../../../text/passages.ts';
import { squeeze } from '../../../text/squeeze.ts';
import { refuse } from '../refuse.ts';
import { HtmlLists } from './html-lists.ts';
import { TableRows } from './table-rows.ts';

/** Elements in each other. Browsers take as many; with thousands the parser takes quadratic time. */
const MAX_DEPTH = 512;

/** @returns what to call when an element opens, and when one closes @throws Fault BAD_REQUEST */
function nesting(): { open(): void; close(): void; readonly depth: number } {
  let depth = 0;
  return {
    open() {
      depth += 1;
      if (depth > MAX_DEPTH) throw refuse(`the file has more than ${MAX_DEPTH} elements in each other`);
    },
    close() {
      depth -= 1;
    },
    get depth() {
      return depth;
    },
  };
}

/** What is not read as part of the text; `rt` and `rp` say how the signs before them are pronounced, in the middle of a word. */
const SKIPPED = new Set(['script', 'style', 'svg', 'template', 'head', 'nav', 'rt', 'rp', 'rtc']);
/** What browsers show as blocks (HTML, section 15.3), and what stands apart in a form. */
const BLOCKS = new Set(
  [
    'address article aside blockquote body center details dialog div fieldset figcaption figure footer form header hgroup hr legend listing main',
    'nav p plaintext pre search section summary xmp',
    'dd dir dl dt li menu ol ul',
    'caption table tbody td tfoot th thead tr',
    'h1 h2 h3 h4 h5 h6',
    'optgroup option textarea',
  ].flatMap((names) => names.split(' ')),
);
const HEADING = /^h[1-6]$/;
/** Between blocks it only lays out the file. */
const BETWEEN = ' ';

/**
 * @param isXml whether `<a/>` ends where it begins and CDATA sections are text, as in XHTML; in HTML the rest would stand in it, and they are comments
 * @param reading as that of `Blocks`
 * @returns the blocks of an HTML or XHTML document, in order; markup that is not closed is read as browsers do
 * @throws Fault BAD_REQUEST for too many elements in each other, and what `reading` throws
 */
export function htmlBlocks(html: string, isXml: boolean, reading: (characters: number) => void = () => {}): readonly Block[] {
  const [rows, lists, nested] = [new TableRows(), new HtmlLists(), nesting()];
  let [open, skipped, heading] = ['', 0, 0];
  const close = () => {
    const text = squeeze(open).trim();
    if (text !== '') rows.add({ text: lists.numbered(text), isHeading: heading > 0 });
    open = '';
  };
  const handler = {
    onopentagname(name: string) {
      nested.open();
      if (BLOCKS.has(name)) close();
      rows.open(name);
      if (name === 'br') open += ' ';
      if (SKIPPED.has(name)) skipped++;
      if (HEADING.test(name)) heading++;
    },
    onopentag(name: string, attributes: Attributes) {
      if (skipped === 0) lists.open(name, attributes);
    },
    ontext(text: string) {
      if (skipped > 0) return;
      const squeezed = squeeze(text);
      if (squeezed !== BETWEEN) reading(squeezed.length);
      open += squeezed;
    },
    onclosetag(name: string) {
      nested.close();
      if (BLOCKS.has(name)) close();
      if (skipped === 0) lists.close(name);
      rows.close(name);
      if (SKIPPED.has(name)) skipped--;
      if (HEADING.test(name)) heading--;
    },
  };
  new Parser(handler, { recognizeSelfClosing: isXml, recognizeCDATA: isXml }).end(html);
  close();
  return rows.end();
}

const local = (name: string) => name.slice(name.lastIndexOf(':') + 1);

function localised(attributes: Attributes): Attributes {
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(attributes)) own[local(name)] = value;
  return own;
}

export type Attributes = Readonly<Record<string, string>>;

/**
 * Calls `visit` for every element of an XML document. Names of elements and attributes are without their prefixes, which each program chooses.
 * @param part its name, if it must be well-formed: of half a part only half of the text would be read
 * @throws Fault BAD_REQUEST for too many elements in each other, and for a named part whose elements do not close each in its order
 */
export function visitXml(
  xml: string,
  visit: { open?(name: string, attributes: Attributes): void; text?(text: string): void; close?(name: string): void },
  part?: string,
): void {
  const nested = nesting();
  let ends = 0;
  const requireFormed = (isFormed: boolean) => {
    if (part !== undefined && !isFormed) throw refuse(`${part} is not well-formed XML; save the document anew`);
  };
  const parser = new Parser(
    {
      onopentagname: nested.open,
      onopentag: (name, attributes) => visit.open?.(local(name), localised(attributes)),
      ontext: (text) => visit.text?.(text),
      onclosetag(name, isImplied) {
        nested.close();
        // An element that ends where it begins counts as implied too.
        if (isImplied) requireFormed(xml[parser.endIndex - 1] === '/');
        else ends += 1;
        visit.close?.(local(name));
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.write(xml);
  requireFormed(nested.depth === 0 && ends >= endTags(xml));
  parser.end();
}

/** The parser passes over the ends of elements that have not begun. @returns how many ends there are; 0 if some may stand in a comment or the like */
function endTags(xml: string): number {
  return /<!(?:--|\[CDATA\[)|<\?(?!xml\s)/.test(xml) ? 0 : xml.split('</').length - 1;
}
