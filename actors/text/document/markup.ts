// Reads HTML and XML into blocks of text: paragraphs, list items, cells and headings, without scripts and styles.
import { Parser } from 'htmlparser2';
import type { Block } from '../../../text/passages.ts';

/** What is not read as part of the text; `rt` and `rp` say how the signs before them are pronounced, in the middle of a word. */
const SKIPPED = new Set(['script', 'style', 'svg', 'template', 'head', 'nav', 'rt', 'rp', 'rtc']);
const BLOCKS = new Set([
  ...[
    'p',
    'div',
    'section',
    'article',
    'aside',
    'header',
    'footer',
    'blockquote',
    'pre',
    'li',
    'ul',
    'ol',
    'dl',
    'dt',
    'dd',
    'table',
    'tr',
    'td',
    'th',
    'body',
  ],
  ...['figure', 'figcaption', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'main'],
]);
const HEADING = /^h[1-6]$/;

/**
 * @param isXml whether `<a/>` ends where it begins, as in XHTML; in HTML the rest would stand in it
 * @returns the blocks of an HTML or XHTML document, in order; markup that is not closed is read as browsers do
 */
export function htmlBlocks(html: string, isXml: boolean): Block[] {
  const blocks: Block[] = [];
  let open = '';
  let skipped = 0;
  let heading = 0;
  const close = () => {
    const text = open.replaceAll(/\s+/g, ' ').trim();
    if (text !== '') blocks.push({ text, isHeading: heading > 0 });
    open = '';
  };
  const handler = {
    onopentagname(name: string) {
      if (BLOCKS.has(name)) close();
      if (name === 'br') open += ' ';
      if (SKIPPED.has(name)) skipped++;
      if (HEADING.test(name)) heading++;
    },
    ontext(text: string) {
      if (skipped === 0) open += text;
    },
    onclosetag(name: string) {
      if (BLOCKS.has(name)) close();
      if (SKIPPED.has(name)) skipped--;
      if (HEADING.test(name)) heading--;
    },
  };
  const parser = new Parser(handler, { recognizeSelfClosing: isXml });
  parser.end(html);
  close();
  return blocks;
}

const local = (name: string) => name.slice(name.lastIndexOf(':') + 1);

function localised(attributes: Attributes): Attributes {
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(attributes)) own[local(name)] = value;
  return own;
}

export type Attributes = Readonly<Record<string, string>>;

/** Calls `visit` for every element of an XML document. Names of elements and attributes are without their prefixes, which each program chooses. */
export function visitXml(
  xml: string,
  visit: { open?(name: string, attributes: Attributes): void; text?(text: string): void; close?(name: string): void },
): void {
  const parser = new Parser(
    {
      onopentag: (name, attributes) => visit.open?.(local(name), localised(attributes)),
      ontext: (text) => visit.text?.(text),
      onclosetag: (name) => visit.close?.(local(name)),
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
}
