// Documents for tests: small real epub, docx and pdf files with the given text.
import { ZipFile } from 'yazl';

/** A heading begins with `# `. */
export type Paragraphs = readonly string[];

const toXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const isHeading = (text: string) => text.startsWith('# ');
const bare = (text: string) => text.replace(/^# /, '');

export interface Entry {
  readonly name: string;
  readonly content: string | Buffer;
}

export async function zip(entries: readonly Entry[]): Promise<Buffer> {
  const file = new ZipFile();
  for (const { name, content } of entries) file.addBuffer(Buffer.from(content as string), name);
  file.end();
  const chunks: Buffer[] = [];
  for await (const chunk of file.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const CONTAINER = '<container><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>';

/** Each heading begins a chapter, in a file of its own. @param more entries besides, which may replace those that are made */
export function epub(paragraphs: Paragraphs, { title = 'A book', more = [] }: { title?: string; more?: readonly Entry[] } = {}): Promise<Buffer> {
  const chapters: string[][] = [];
  for (const paragraph of paragraphs) {
    if (isHeading(paragraph) || chapters.length === 0) chapters.push([]);
    chapters.at(-1)?.push(isHeading(paragraph) ? `<h2>${toXml(bare(paragraph))}</h2>` : `<p>${toXml(paragraph)}</p>`);
  }
  const items = chapters.map((_, index) => `<item id="c${index}" href="text/c${index}.xhtml" media-type="application/xhtml+xml"/>`).join('');
  const spine = chapters.map((_, index) => `<itemref idref="c${index}"/>`).join('');
  const opf = `<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>${toXml(title)}</dc:title></metadata><manifest>${items}</manifest><spine>${spine}</spine></package>`;
  const made = [
    { name: 'mimetype', content: 'application/epub+zip' },
    { name: 'META-INF/container.xml', content: CONTAINER },
    { name: 'OEBPS/book.opf', content: opf },
    ...chapters.map((blocks, index) => ({
      name: `OEBPS/text/c${index}.xhtml`,
      content: `<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title>not text</title></head><body>${blocks.join('')}</body></html>`,
    })),
  ];
  const replaced = new Set(more.map(({ name }) => name));
  return zip([...made.filter(({ name }) => !replaced.has(name)), ...more]);
}

export function docx(paragraphs: Paragraphs, more: readonly Entry[] = []): Promise<Buffer> {
  const body = paragraphs.map(
    (text) =>
      `<w:p>${isHeading(text) ? '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>' : ''}<w:r><w:t xml:space="preserve">${toXml(bare(text))}</w:t></w:r></w:p>`,
  );
  const document = `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body.join('')}</w:body></w:document>`;
  const made = [
    { name: '[Content_Types].xml', content: '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>' },
    { name: 'word/document.xml', content: document },
  ];
  const replaced = new Set(more.map(({ name }) => name));
  return zip([...made.filter(({ name }) => !replaced.has(name)), ...more]);
}

const LINE_CHARACTERS = 80;

/** One page for each list of lines (ISO 32000-1 section 7.5). Text in Latin letters only. */
export function pdf(pages: readonly Paragraphs[]): Buffer {
  const contents = pages.map((paragraphs) => {
    const lines = paragraphs.flatMap((text) => [...(bare(text).match(new RegExp(`.{1,${LINE_CHARACTERS}}(?: |$)`, 'g')) ?? []), '']);
    const shown = lines.map((line) => `(${line.replaceAll(/[\\()]/g, '\\$&')}) Tj T*`).join('\n');
    return `BT /F1 12 Tf 14 TL 50 780 Td\n${shown}\nET`;
  });
  const kids = pages.map((_, index) => `${4 + 2 * index} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...contents.flatMap((content, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * index} 0 R >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  ];
  return pdfOf(objects);
}

/** In WinAnsiEncoding and PDF syntax; the size in points, the place from the lower left corner, and the number of the marked content. */
export type Placed = readonly [text: string, size: number, x: number, y: number, mark?: number];

interface More {
  /** Entries of the catalog and of each page, in PDF syntax. */
  readonly catalog?: string;
  readonly page?: string;
  /** Before the lines of a page, such as a matrix. */
  readonly before?: string;
  /** Numbered behind all others, of which the first four are the catalog, the pages, a font and the information. */
  readonly objects?: readonly string[];
  readonly title?: string;
}

const shownLine = ([text, size, x, y, mark]: Placed) =>
  `${mark === undefined ? '' : `/Span << /MCID ${mark} >> BDC `}/F1 ${size} Tf 1 0 0 1 ${x} ${y} Tm (${text}) Tj${mark === undefined ? '' : ' EMC'}`;

/** A pdf whose lines stand where they are placed. */
export function placedPdf(pages: readonly (readonly Placed[])[], { catalog = '', page = '', before = '', objects = [], title = '' }: More = {}): Uint8Array {
  const kids = pages.map((_, index) => `${5 + 2 * index} 0 R`).join(' ');
  const made = pages.flatMap((lines, index) => {
    const shown = `${before} BT ${lines.map(shownLine).join('\n')} ET`;
    return [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${6 + 2 * index} 0 R ${page} >>`,
      `<< /Length ${shown.length} >>\nstream\n${shown}\nendstream`,
    ];
  });
  return new Uint8Array(
    pdfOf([
      `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
      `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
      `<< /Title (${title}) >>`,
      ...made,
      ...objects,
    ]),
  );
}

/** @param objects numbered from 1; the first is the catalog */
export function pdfOf(objects: readonly string[]): Buffer {
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const xref = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const info = objects[3]?.startsWith('<< /Title') ? ' /Info 4 0 R' : '';
  const trailer = `<< /Size ${objects.length + 1} /Root 1 0 R${info} >>`;
  return Buffer.from(`${text}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${xref}trailer\n${trailer}\nstartxref\n${text.length}\n%%EOF\n`, 'latin1');
}

/** What a client sends: the bytes of a multipart form and its content type. */
export async function form(fields: Readonly<Record<string, string>>, file?: { readonly name: string; readonly bytes: Uint8Array }) {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  if (file) data.append('file', new Blob([new Uint8Array(file.bytes)]), file.name);
  const encoded = new Response(data);
  return { headers: { 'content-type': encoded.headers.get('content-type') as string }, body: new Uint8Array(await encoded.arrayBuffer()) };
}
