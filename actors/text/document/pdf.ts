// Reads the text layer of a pdf, page by page.
import type { getDocumentProxy } from 'unpdf';
import { refuse } from '../refuse.ts';
import { type Bounds, withBoundedBuffers } from './bounded-buffers.ts';
import { CharacterMaps } from './character-maps.ts';
import { Blocks, type Content } from './content.ts';
import { blocksOfPages } from './pages.ts';
import type { Line } from './paragraphs.ts';
import { type Extras, linesOf } from './pdf-page.ts';
import { pdfTitle } from './pdf-title.ts';

const MAX_PAGES = 5_000;
/** To ask for its tags takes almost as long as to read a page, and time is limited: larger files are read without. */
const MAX_TAGGED_PAGES = 1_000;
/** The header may stand behind other bytes (ISO 32000-1 annex H.3.4.1). */
const HEADER_BYTES = 1_024;

export function isPdf(file: Uint8Array): boolean {
  return Buffer.from(file.buffer, file.byteOffset, Math.min(file.byteLength, HEADER_BYTES)).includes('%PDF-');
}

/** Of a table of objects, in any case; more than a file has bytes it cannot have. */
const MIN_OBJECTS = 100_000;
/** ISO 32000-1 annex C. */
const MAX_OBJECTS = 8_388_607;
/** In bytes. */
const MAX_DICTIONARY = 65_536;

/** A table of objects may be a stream (ISO 32000-1 section 7.5.8), and its entries may have no bytes: then a few numbers make millions of them. @throws Fault BAD_REQUEST */
function requireXref(file: Uint8Array): void {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const most = Math.min(MAX_OBJECTS, Math.max(MIN_OBJECTS, file.byteLength));
  // Each byte is looked at once, however often a file says that here is a table: what follows the keyword `stream` is of another dictionary.
  for (let at = bytes.indexOf('/XRef'), last = 0; at >= 0; at = bytes.indexOf('/XRef', last)) {
    const before = bytes.subarray(Math.max(last, at - MAX_DICTIONARY), at);
    const after = bytes.subarray(at, at + MAX_DICTIONARY);
    const end = after.indexOf('stream');
    last = at + (end < 0 ? after.length : end);
    const dictionary = bytes.toString('latin1', at - before.length + Math.max(0, before.lastIndexOf('obj')), last);
    const pairs = /\/Index\s*\[([^\]]*)/.exec(dictionary)?.[1]?.trim().split(/\s+/).map(Number);
    const counted = pairs?.reduce((sum, each, index) => (index % 2 === 1 ? sum + each : sum), 0) ?? 0;
    const size = Number(/\/Size\s+(\d+)/.exec(dictionary)?.[1] ?? 0);
    if (counted > most || size > most) throw refuse('the pdf is damaged: it names more objects than it can have');
  }
}

type Document = Awaited<ReturnType<typeof getDocumentProxy>>;

/** @throws Fault BAD_REQUEST */
export function readPdf(file: Uint8Array, maps = new CharacterMaps()): Promise<Content> {
  requireXref(file);
  return withBoundedBuffers(file.byteLength, async (bounds) => {
    const outcome = await read(file, bounds, maps).catch((error: unknown) => ({ error }));
    // The reader may have left out what was too large: what it has read is not the whole.
    if (bounds.isExceeded) throw refuse('the file is too large when it is unpacked');
    if ('error' in outcome) throw outcome.error;
    return outcome;
  });
}

/** Of text that was typed onto a page. */
const TYPED = '/FreeText';
/** Of objects that are compressed: what was typed may be among them. */
const COMPRESSED = '/ObjStm';

async function read(file: Uint8Array, bounds: Bounds, maps: CharacterMaps): Promise<Content> {
  // The reader takes the bytes away.
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const [isTyped, isCompressed] = [bytes.includes(TYPED), bytes.includes(COMPRESSED)];
  const document = await open(file, maps);
  try {
    if (document.numPages > MAX_PAGES) throw refuse(`the pdf has ${document.numPages} pages; at most ${MAX_PAGES} are allowed`);
    const { info } = (await document.getMetadata().catch(() => ({ info: {} }))) as { readonly info: About };
    requirePages(info);
    const isShort = document.numPages <= MAX_TAGGED_PAGES;
    const isTagged = isShort && (await document.getMarkInfo().catch(() => null))?.Marked === true;
    const extras = { hasNotes: info.IsAcroFormPresent === true || isTyped || (isCompressed && isShort), isTagged };
    const blocks = new Blocks();
    const reading = blocks.reading();
    const pages: Line[][] = [];
    for (let page = 1; page <= document.numPages; page++) {
      bounds.nextPage();
      const lines = await readable(document, page, extras);
      for (const { text } of lines) reading(text.length);
      pages.push(lines);
      maps.requireAll();
    }
    blocks.add(blocksOfPages(pages));
    return { title: pdfTitle(info.Title), blocks: blocks.all };
  } finally {
    await document.destroy();
  }
}

async function open(file: Uint8Array, maps: CharacterMaps): Promise<Document> {
  const { getDocumentProxy } = await import('unpdf');
  try {
    // No code is made from fonts, and no fonts are requested.
    return await getDocumentProxy(file, {
      isEvalSupported: false,
      disableFontFace: true,
      useSystemFonts: false,
      verbosity: 0,
      cMapPacked: false,
      BinaryDataFactory: maps.factory,
    });
  } catch (cause) {
    const isLocked = (cause as Error).name === 'PasswordException';
    throw refuse(isLocked ? 'the pdf is encrypted; add a copy without a password' : 'the pdf is damaged', cause);
  }
}

/** Pages are read when they are asked for: what is wrong with one shows only then. */
async function readable(document: Document, page: number, extras: Extras): Promise<Line[]> {
  try {
    return await linesOf(await document.getPage(page), extras);
  } catch (cause) {
    throw refuse(`the pdf is damaged in page ${page}`, cause);
  }
}

interface About {
  readonly Title?: unknown;
  readonly IsAcroFormPresent?: boolean;
  readonly IsXFAPresent?: boolean;
  readonly IsCollectionPresent?: boolean;
}

/** What these files show is not on their pages: there stands only that another program is needed. */
function requirePages({ IsAcroFormPresent, IsXFAPresent, IsCollectionPresent }: About): void {
  if (IsXFAPresent && !IsAcroFormPresent) throw refuse('the pdf is a form (XFA) that has no pages of its own; print it to a pdf and add that');
  if (IsCollectionPresent) throw refuse('the pdf is a collection of files; add each of them');
}
