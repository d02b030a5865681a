// Reads a docx: the paragraphs of its body, its notes, and what stands above and below its pages (ECMA-376 part 1, section 17; part 2, section 9.3 for its parts).
import { posix } from 'node:path';
import type { Block } from '../../../text/passages.ts';
import { squeeze } from '../../../text/squeeze.ts';
import { refuse } from '../refuse.ts';
import type { Archive } from './archive.ts';
import { Blocks, type Content } from './content.ts';
import { Numbering } from './docx-numbering.ts';
import { type Headings, headingsBy, listOfStyle, type Styles, stylesOf } from './docx-styles.ts';
import { symbolOf } from './docx-symbols.ts';
import { type Attributes, htmlBlocks, visitXml } from './markup.ts';
import { TableRows } from './table-rows.ts';

const BODY = 'word/document.xml';
const PROPERTIES = 'docProps/core.xml';
const NOTES = ['footnotes', 'endnotes'];
/** Drawings with text in parts of their own, with paragraphs as the body has them: SmartArt, and the titles of charts. */
const DRAWN = ['diagramData', 'chart'];
const STYLES = 'word/styles.xml';
const NUMBERING = 'word/numbering.xml';
/**
 * What a reader does not see, or sees elsewhere: deleted text, the place that text was moved from, how text was formatted before, a second form of a
 * text box for old programs, and how signs are pronounced.
 */
const SKIPPED = new Set(['del', 'moveFrom', 'pPrChange', 'rPrChange', 'Fallback', 'rt']);
/** Of a property that is on where nothing else is said. */
const OFF = /^(0|false|off)$/;
const SIGNS: ReadonlyMap<string, string> = new Map(Object.entries({ tab: ' ', ptab: ' ', br: ' ', cr: ' ', noBreakHyphen: '\u2011' }));

/**
 * Word for the web, for one, calls the body `word/document2.xml`: the relations of the package say how it is called here. Spreadsheets and slides have a
 * body too, in another folder.
 * @returns the path of the body; undefined for what is not a docx
 */
export async function docxBody(archive: Archive): Promise<string | undefined> {
  const [named] = (await relatedParts(archive, '')).get('officeDocument') ?? [];
  const body = named?.startsWith('word/') ? named : BODY;
  return archive.has(body) ? body : undefined;
}

/** @param body its path @throws Fault BAD_REQUEST */
export async function readDocx(archive: Archive, body: string): Promise<Content> {
  const related = await relatedParts(archive, body);
  const textOf = async (kind: string, usual: string) => {
    const part = related.get(kind)?.[0] ?? usual;
    return archive.has(part) ? await archive.text(part) : undefined;
  };
  const notes = NOTES.map((kind) => related.get(kind)?.[0] ?? `word/${kind}.xml`);
  const styles = stylesOf(await textOf('styles', STYLES));
  const numbering = new Numbering(await textOf('numbering', NUMBERING), (style) => listOfStyle(style, styles)?.list);
  const blocks = new Blocks();
  const read = async (part: string) => (archive.has(part) ? paragraphsOf(await archive.text(part, true), part, { styles, numbering }, blocks.reading()) : []);
  /** The first page and each section may have a header of their own, which mostly says the same; a number alone is that of a page. */
  const seen = new Set<string>();
  const readOnce = async (kind: string) => {
    for (const part of new Set(related.get(kind))) {
      const fresh = (await read(part)).filter(({ text }) => /\p{L}/u.test(text) && !seen.has(text));
      for (const { text } of fresh) seen.add(text);
      blocks.add(fresh.map(({ text }) => ({ text, isHeading: false })));
    }
  };
  await readOnce('header');
  blocks.add(await read(body));
  for (const part of new Set(related.get('aFChunk'))) blocks.add(await imported(archive, part, blocks));
  for (const part of new Set([...DRAWN.flatMap((kind) => related.get(kind) ?? []), ...notes])) blocks.add(await read(part));
  await readOnce('footer');
  return { title: archive.has(PROPERTIES) ? titleOf(await archive.text(PROPERTIES)) : '', blocks: blocks.all };
}

/** A file of another kind that Word takes in when it opens this one (section 17.17.2): converters from HTML leave all of their text in one. @throws Fault BAD_REQUEST */
async function imported(archive: Archive, part: string, blocks: Blocks): Promise<readonly Block[]> {
  const [, extension = ''] = /\.(html?|xhtml)$/i.exec(part) ?? [];
  if (extension === '') throw refuse(`the docx holds another file (${posix.basename(part).slice(0, 64)}), which only Word reads; save it in Word anew`);
  return archive.has(part) ? htmlBlocks(await archive.text(part, true), extension.toLowerCase() === 'xhtml', blocks.reading()) : [];
}

/** @param part empty for the package itself @returns the parts that it names, by the last word of the relation's type */
async function relatedParts(archive: Archive, part: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const { dir, base } = posix.parse(part);
  const relations = posix.join(dir, '_rels', `${base}.rels`);
  const parts = new Map<string, string[]>();
  if (!archive.has(relations)) return parts;
  const visit = {
    open(_name: string, { Type = '', Target = '' }: Attributes) {
      // A target is relative to the part's folder, or begins at the root of the package.
      const target = posix.resolve('/', dir, Target).slice(1);
      const kind = posix.basename(Type);
      const targets = parts.get(kind);
      // A file may name very many of a kind, which are not to be copied for each.
      if (targets) targets.push(target);
      else parts.set(kind, [target]);
    },
  };
  visitXml(await archive.text(relations), visit, relations);
  return parts;
}

interface Paragraph {
  text: string;
  isHeading: boolean;
  /** What it says itself of its style and its place in a list. */
  style: string;
  list: string | undefined;
  level: string | undefined;
  /** Its end was deleted: it is one with the next paragraph, whose properties count. */
  isJoined: boolean;
  /** That of its list. */
  number: string;
}

interface Surroundings {
  readonly styles: Styles;
  readonly numbering: Numbering;
}

function paragraphsOf(xml: string, part: string, around: Surroundings, reading: (characters: number) => void): readonly Block[] {
  const [rows, headings] = [new TableRows(), headingsBy(around.styles)];
  /** A text box is a paragraph in another. */
  const open: Paragraph[] = [];
  /** Text stands in elements called t, of words, formulas and drawings; deleted text, in delText, and field codes do not count. */
  let [isText, skipped] = [false, 0];
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
    open(name: string, attributes: Attributes, { val = '' } = attributes) {
      isText = name === 't';
      if (name === 'p') open.push({ text: '', isHeading: false, style: '', list: undefined, level: undefined, isJoined: false, number: '' });
      const paragraph = open.at(-1);
      if (paragraph && skipped === 0) describe(paragraph, name, val, headings);
      if (SKIPPED.has(name)) skipped++;
      if (name === 'r' || (name === 'vanish' && skipped === 0)) isHidden = name === 'vanish' && !OFF.test(val);
      rows.open(name);
      append(name === 'sym' ? symbolOf(attributes) : (SIGNS.get(name) ?? ''));
    },
    text(text: string) {
      if (isText) append(text);
    },
    close(name: string) {
      isText = false;
      if (SKIPPED.has(name)) skipped--;
      if (name === 'pPr' && skipped === 0) count(open.at(-1), around);
      if (name === 'p') addTo(rows, open.pop(), reading);
      rows.close(name);
    },
  };
  visitXml(xml, visit, part);
  return rows.end();
}

function describe(paragraph: Paragraph, name: string, value: string, headings: Headings): void {
  paragraph.isHeading = headings(name, value) ?? paragraph.isHeading;
  if (name === 'pStyle') paragraph.style = value;
  else if (name === 'numId') paragraph.list = value;
  else if (name === 'ilvl') paragraph.level = value;
  else if (name === 'del' || name === 'moveFrom') paragraph.isJoined = true;
}

/** Also a paragraph without text counts. */
function count(paragraph: Paragraph | undefined, { styles, numbering }: Surroundings): void {
  if (!paragraph || paragraph.isJoined) return;
  const { list, level } = paragraph;
  const ofStyle = listOfStyle(paragraph.style, styles);
  const own = list ?? ofStyle?.list;
  if (own === undefined) return;
  const at = level === undefined ? (list === undefined ? ofStyle?.level : 0) : Number(level);
  paragraph.number = numbering.next({ list: own, level: at, ...(ofStyle?.style !== undefined && { style: ofStyle.style }) });
}

function addTo(rows: TableRows, paragraph: Paragraph | undefined, reading: (characters: number) => void): void {
  const text = squeeze(paragraph?.text ?? '').trim();
  if (!paragraph || text === '') return;
  const number = squeeze(paragraph.number).trim();
  reading(number.length);
  rows.add({ text: number === '' ? text : `${number} ${text}`, isHeading: paragraph.isHeading });
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
