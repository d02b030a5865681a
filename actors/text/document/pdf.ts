// Reads the text layer of a pdf, page by page.
import type { getDocumentProxy } from 'unpdf';
import type { Block } from '../../../text/passages.ts';
import { refuse } from '../refuse.ts';
import { Blocks, type Content } from './content.ts';

const MAX_PAGES = 5_000;
/** The header may stand behind other bytes (ISO 32000-1 annex H.3.4.1). */
const HEADER_BYTES = 1_024;

export function isPdf(file: Uint8Array): boolean {
  return Buffer.from(file.buffer, file.byteOffset, Math.min(file.byteLength, HEADER_BYTES)).includes('%PDF-');
}

type Document = Awaited<ReturnType<typeof getDocumentProxy>>;

/** @throws Fault BAD_REQUEST */
export async function readPdf(file: Uint8Array): Promise<Content> {
  const document = await open(file);
  try {
    if (document.numPages > MAX_PAGES) throw refuse(`the pdf has ${document.numPages} pages; at most ${MAX_PAGES} are allowed`);
    const blocks = new Blocks();
    for (let page = 1; page <= document.numPages; page++) blocks.add(await readable(document, page));
    return { title: await titleOf(document), blocks: blocks.all };
  } finally {
    await document.destroy();
  }
}

async function open(file: Uint8Array): Promise<Document> {
  const { getDocumentProxy } = await import('unpdf');
  try {
    // Without code made from fonts, and without requests for fonts or character maps.
    return await getDocumentProxy(file, { isEvalSupported: false, disableFontFace: true, useSystemFonts: false, verbosity: 0 });
  } catch (cause) {
    const isLocked = (cause as Error).name === 'PasswordException';
    throw refuse(isLocked ? 'the pdf is encrypted; add a copy without a password' : 'the pdf is damaged', cause);
  }
}

/** Pages are read when they are asked for: what is wrong with one shows only then. */
async function readable(document: Document, page: number): Promise<Block[]> {
  try {
    return await blocksOf(document, page);
  } catch (cause) {
    throw refuse(`the pdf is damaged in page ${page}`, cause);
  }
}

interface Line {
  text: string;
  readonly y: number;
  readonly height: number;
}

/** A gap of more than this many line heights begins a new paragraph. */
const PARAGRAPH = 1.6;

async function blocksOf(document: Document, page: number): Promise<Block[]> {
  const { items } = await (await document.getPage(page)).getTextContent();
  const lines: Line[] = [];
  let isOver = true;
  for (const item of items) {
    if (!('str' in item)) continue;
    const last = lines.at(-1);
    if (isOver || !last) lines.push({ text: item.str, y: item.transform[5] as number, height: item.height || 10 });
    else last.text += item.str;
    isOver = item.hasEOL;
  }
  const blocks: { text: string; isHeading: boolean; page: number }[] = [];
  lines.forEach((line, index) => {
    const above = lines[index - 1];
    const last = blocks.at(-1);
    const gap = above ? Math.abs(above.y - line.y) / Math.max(above.height, 1) : Number.POSITIVE_INFINITY;
    if (!last || gap > PARAGRAPH) blocks.push({ text: line.text, isHeading: false, page });
    // A word that is divided at the end of a line.
    else last.text = /\p{L}-$/u.test(last.text) ? last.text.slice(0, -1) + line.text : `${last.text} ${line.text}`;
  });
  return blocks.filter(({ text }) => text.trim() !== '');
}

async function titleOf(document: Document): Promise<string> {
  const { info } = await document.getMetadata().catch(() => ({ info: {} }));
  const title = (info as { readonly Title?: unknown }).Title;
  return typeof title === 'string' ? title.trim() : '';
}
