// Reads a docx: the paragraphs of its body, notes and comments (ECMA-376 part 1, section 17).
import type { Block } from '../../../text/passages.ts';
import type { Archive } from './archive.ts';
import { Blocks, type Content } from './content.ts';
import { visitXml } from './markup.ts';

const BODY = 'word/document.xml';
const PROPERTIES = 'docProps/core.xml';
const NOTES = ['word/footnotes.xml', 'word/endnotes.xml'];
/** Styles of headings; Word writes their names without spaces, and in the language of the document. */
const HEADING = /^(heading|title|titre|berschrift|encabezado)/i;

export function isDocx(archive: Archive): boolean {
  return archive.has(BODY);
}

/** @throws Fault BAD_REQUEST */
export async function readDocx(archive: Archive): Promise<Content> {
  const blocks = new Blocks();
  for (const part of [BODY, ...NOTES]) if (archive.has(part)) blocks.add(paragraphsOf(await archive.text(part)));
  return { title: archive.has(PROPERTIES) ? titleOf(await archive.text(PROPERTIES)) : '', blocks: blocks.all };
}

function paragraphsOf(xml: string): Block[] {
  const blocks: Block[] = [];
  let open = '';
  let isHeading = false;
  /** Text stands in w:t; deleted text, in w:delText, and field codes do not count. */
  let isText = false;
  visitXml(xml, {
    open(name, { 'w:val': value = '' }) {
      isText = name === 'w:t';
      if (name === 'w:pStyle') isHeading ||= HEADING.test(value);
      if (name === 'w:outlineLvl') isHeading = true;
      if (name === 'w:tab' || name === 'w:br' || name === 'w:cr') open += ' ';
    },
    text(text) {
      if (isText) open += text;
    },
    close(name) {
      isText = false;
      if (name !== 'w:p') return;
      const text = open.replaceAll(/\s+/g, ' ').trim();
      if (text !== '') blocks.push({ text, isHeading });
      open = '';
      isHeading = false;
    },
  });
  return blocks;
}

function titleOf(xml: string): string {
  let title = '';
  let isTitle = false;
  visitXml(xml, {
    open: (name) => {
      isTitle = name === 'dc:title';
    },
    text: (text) => {
      if (isTitle) title += text;
    },
    close: () => {
      isTitle = false;
    },
  });
  return title.trim();
}
