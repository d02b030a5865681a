// Reads a docx: the paragraphs of its body and notes (ECMA-376 part 1, section 17; part 2, section 9.3 for its parts).
import { posix } from 'node:path';
import type { Block } from '../../../text/passages.ts';
import { squeeze } from '../../../text/squeeze.ts';
import type { Archive } from './archive.ts';
import { Blocks, type Content } from './content.ts';
import { type Headings, headingsBy } from './docx-styles.ts';
import { type Attributes, visitXml } from './markup.ts';
import { TableRows } from './table-rows.ts';

const BODY = 'word/document.xml';
const PROPERTIES = 'docProps/core.xml';
const NOTES = ['footnotes', 'endnotes'];
const STYLES = 'word/styles.xml';
/**
 * What a reader does not see, or sees elsewhere: deleted text, the place that text was moved from, how text was formatted before, a second form of a
 * text box for old programs, and how signs are pronounced.
 */
const SKIPPED = new Set(['del', 'moveFrom', 'pPrChange', 'rPrChange', 'Fallback', 'rt']);
/** Of a property that is on where nothing else is said. */
const OFF = /^(0|false|off)$/;
const SIGNS: Readonly<Record<string, string>> = { tab: ' ', ptab: ' ', br: ' ', cr: ' ', noBreakHyphen: '\u2011' };

/**
 * Word for the web, for one, calls the body `word/document2.xml`: the relations of the package say how it is called here. Spreadsheets and slides have a
 * body too, in another folder.
 * @returns the path of the body; undefined for what is not a docx
 */
export async function docxBody(archive: Archive): Promise<string | undefined> {
  const named = (await relatedParts(archive, '')).get('officeDocument');
  const body = named?.startsWith('word/') ? named : BODY;
  return archive.has(body) ? body : undefined;
}

/** @param body its path @throws Fault BAD_REQUEST */
export async function readDocx(archive: Archive, body: string): Promise<Content> {
  const related = await relatedParts(archive, body);
  const notes = NOTES.map((kind) => related.get(kind) ?? `word/${kind}.xml`);
  const styles = related.get('styles') ?? STYLES;
  const headings = headingsBy(archive.has(styles) ? await archive.text(styles) : undefined);
  const blocks = new Blocks();
  for (const part of [body, ...notes]) if (archive.has(part)) blocks.add(paragraphsOf(await archive.text(part, true), part, headings, blocks.reading()));
  return { title: archive.has(PROPERTIES) ? titleOf(await archive.text(PROPERTIES)) : '', blocks: blocks.all };
}

/** @param part empty for the package itself @returns the parts that it names, by the last word of the relation's type */
async function relatedParts(archive: Archive, part: string): Promise<ReadonlyMap<string, string>> {
  const { dir, base } = posix.parse(part);
  const relations = posix.join(dir, '_rels', `${base}.rels`);
  const parts = new Map<string, string>();
  if (!archive.has(relations)) return parts;
  const visit = {
    open(_name: string, { Type = '', Target = '' }: Attributes) {
      // A target is relative to the part's folder, or begins at the root of the package.
      parts.set(posix.basename(Type), posix.resolve('/', dir, Target).slice(1));
    },
  };
  visitXml(await archive.text(relations), visit, relations);
  return parts;
}

interface Paragraph {
  text: string;
  isHeading: boolean;
}

function paragraphsOf(xml: string, part: string, headings: Headings, reading: (characters: number) => void): readonly Block[] {
  const rows = new TableRows();
  /** A text box is a paragraph in another. */
  const open: Paragraph[] = [];
  /** Text stands in elements called t, of words, formulas and drawings; deleted text, in delText, and field codes do not count. */
  let isText = false;
  let skipped = 0;
  /** Of the run; that of a paragraph's end, before the first run, hides nothing. */
  let isHidden = false;
  const append = (text: string) => {
    const paragraph = open.at(-1);
    if (!paragraph || skipped > 0 || isHidden) return;
    const squeezed = squeeze(text);
    reading(squeezed.length);
    paragraph.text += squeezed;
  };
  const visit = {
    open(name: string, { val = '' }: Attributes) {
      isText = name === 't';
      if (SKIPPED.has(name)) skipped++;
      if (name === 'r' || (name === 'vanish' && skipped === 0)) isHidden = name === 'vanish' && !OFF.test(val);
      rows.open(name);
      if (name === 'p') open.push({ text: '', isHeading: false });
      append(SIGNS[name] ?? '');
      const paragraph = open.at(-1);
      if (paragraph && skipped === 0) paragraph.isHeading = headings(name, val) ?? paragraph.isHeading;
    },
    text(text: string) {
      if (isText) append(text);
    },
    close(name: string) {
      isText = false;
      if (SKIPPED.has(name)) skipped--;
      if (name === 'p') addTo(rows, open.pop());
      rows.close(name);
    },
  };
  visitXml(xml, visit, part);
  return rows.end();
}

function addTo(rows: TableRows, paragraph: Paragraph | undefined): void {
  const text = squeeze(paragraph?.text ?? '').trim();
  if (paragraph && text !== '') rows.add({ text, isHeading: paragraph.isHeading });
}

function titleOf(xml: string): string {
  let title = '';
  let isTitle = false;
  visitXml(xml, {
    open: (name) => {
      isTitle = name === 'title';
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
