// Reads HTML and XML into blocks of text: paragraphs, list items, cells and headings, without scripts and styles.
import { Parser } from 'htmlparser2';
import type { Block } from '../../../text/passages.ts';

const SKIPPED = new Set(['script', 'style', 'svg', 'template', 'head', 'nav']);
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

/** @returns the blocks of an HTML or XHTML document, in order; markup that is not closed is read as browsers do */
export function htmlBlocks(html: string): Block[] {
  const blocks: Block[] = [];
  let open = '';
  let skipped = 0;
  let heading = 0;
  const close = () => {
    const text = open.replaceAll(/\s+/g, ' ').trim();
    if (text !== '') blocks.push({ text, isHeading: heading > 0 });
    open = '';
  };
  const parser = new Parser({
    onopentagname(name) {
      if (BLOCKS.has(name)) close();
      if (name === 'br') open += ' ';
      if (SKIPPED.has(name)) skipped++;
      if (HEADING.test(name)) heading++;
    },
    ontext(text) {
      if (skipped === 0) open += text;
    },
    onclosetag(name) {
      if (BLOCKS.has(name)) close();
      if (SKIPPED.has(name)) skipped--;
      if (HEADING.test(name)) heading--;
    },
  });
  parser.end(html);
  close();
  return blocks;
}

export type Attributes = Readonly<Record<string, string>>;

/** Calls `visit` for every element of an XML document, with its name as it is written and its attributes. */
export function visitXml(
  xml: string,
  visit: { open?(name: string, attributes: Attributes): void; text?(text: string): void; close?(name: string): void },
): void {
  const parser = new Parser(
    {
      onopentag: (name, attributes) => visit.open?.(name, attributes),
      ontext: (text) => visit.text?.(text),
      onclosetag: (name) => visit.close?.(name),
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
}
