// Hostile files as the reader of documents gets them: archives that lie about themselves, documents without end in one place, and pdf files that unpack to gigabytes.
import assert from 'node:assert/strict';
import { deflateSync } from 'node:zlib';
import { test } from 'uvu';
import { readDocument } from '../../../actors/text/document/document.ts';
import type { Fault } from '../../../kernel/fault.ts';
import { docx, epub, pdf, pdfOf, zip } from './files.ts';

const TEXT = ['The gate closes at nine.'];
/** CPU time: what has no bound takes minutes. */
const MAX_CPU_MS = 30_000;
/** Of the whole process, above what it had. */
const MAX_GROWTH_MB = 500;

async function outcomeOf(name: string, file: Uint8Array): Promise<string> {
  try {
    return (await readDocument(name, new Uint8Array(file))).passages[0]?.text.slice(0, 60) ?? '';
  } catch (error) {
    assert.equal((error as Fault).code, 'BAD_REQUEST', String(error));
    return (error as Fault).message;
  }
}

const latin1 = (file: Buffer, change: (text: string) => string) => Buffer.from(change(file.toString('latin1')), 'latin1');
const DIRECTORY = Buffer.from('PK\u0001\u0002', 'latin1');
const END = Buffer.from('PK\u0005\u0006', 'latin1');

/** Changes the record at the end of an archive (APPNOTE 4.3.16). */
function withEnd(file: Buffer, change: (record: Buffer) => void): Buffer {
  const changed = Buffer.from(file);
  change(changed.subarray(changed.lastIndexOf(END)));
  return changed;
}

/** Changes each entry of the directory of an archive (APPNOTE 4.3.12). */
function withEntries(file: Buffer, change: (entry: Buffer) => void): Buffer {
  const changed = Buffer.from(file);
  for (let at = changed.indexOf(DIRECTORY); at >= 0; at = changed.indexOf(DIRECTORY, at + 4)) change(changed.subarray(at));
  return changed;
}

const paragraph = (text: string) => `<w:p><w:t>${text}</w:t></w:p>`;
const body = (content: string) => docx([], [{ name: 'word/document.xml', content }]);
const numbers = (count: number, between: string) => Array.from({ length: count }, (_, at) => ((at * 7_919) % 999_983).toString(36)).join(between);

const LIES: readonly (readonly [what: string, make: () => Promise<Uint8Array>, said: RegExp])[] = [
  [
    'more entries than a record of 16 bits may count',
    async () => withEnd(await docx(TEXT), (end) => end.writeUInt32LE(0xffffffff, 8)),
    /at most 5000|malformed/,
  ],
  ['a directory that lies elsewhere in a larger archive', async () => withEnd(await docx(TEXT), (end) => end.writeUInt32LE(0xffffffff, 16)), /malformed/],
  ['a directory of more entries than it has', async () => withEnd(await docx(TEXT), (end) => end.writeUInt32LE(0x0fa00fa0, 8)), /malformed/],
  ['entries that lie over each other', async () => withEntries(await docx(TEXT), (entry) => entry.writeUInt32LE(0, 42)), /damaged in word\/document\.xml/],
  [
    'bytes that are not those of its checksum',
    async () => withEntries(await docx(TEXT), (entry) => entry.writeUInt32LE(1, 16)),
    /damaged in word\/document\.xml/,
  ],
  ['a smaller size than an entry has', async () => withEntries(await docx(TEXT), (entry) => entry.writeUInt32LE(4, 24)), /damaged in word\/document\.xml/],
  [
    'the same name twice',
    async () =>
      latin1(
        await zip([
          { name: 'word/document.xml', content: paragraph('One.') },
          { name: 'word/document.xmX', content: paragraph('Two.') },
        ]),
        (text) => text.replaceAll('document.xmX', 'document.xml'),
      ),
    /has an entry twice/,
  ],
  [
    'an absolute path',
    async () => latin1(await docx(TEXT, [{ name: 'Xetc/passwd', content: '' }]), (text) => text.replaceAll('Xetc/passwd', '/etc/passwd')),
    /malformed/,
  ],
  [
    'a path with backslashes',
    async () => latin1(await docx(TEXT, [{ name: 'XXXetcXpasswd', content: '' }]), (text) => text.replaceAll('XXXetcXpasswd', '..\\etc\\passwd')),
    /malformed/,
  ],
  [
    'entities in a package of 16 bits',
    () => epub(TEXT, { more: [{ name: 'OEBPS/book.opf', content: Buffer.from('\ufeff<!DOCTYPE x [<!ENTITY a "aaaa">]><package/>', 'utf16le') }] }),
    /declares entities/,
  ],
  // Nothing is written to disk, so what a link names does not matter; a table of contents is not read.
  ['symbolic links', async () => withEntries(await docx(TEXT), (entry) => entry.writeUInt32LE(0xa1ff0000, 38)), /^The gate closes/],
  [
    'entities in a table of contents',
    () => epub(TEXT, { more: [{ name: 'OEBPS/toc.ncx', content: '<!DOCTYPE x [<!ENTITY a "aaaa">]><ncx>&a;</ncx>' }] }),
    /^The gate/,
  ],
];

for (const [what, make, said] of LIES)
  test(`an archive with ${what}`, async () => {
    assert.match(await outcomeOf(what.startsWith('entities') ? 'a.epub' : 'a.docx', await make()), said);
  });

const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>';
const PAGES = '<< /Type /Pages /Kids [4 0 R] /Count 1 >>';
const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>';
const PAGE = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>';
const SHOWN = 'BT /F1 12 Tf 50 780 Td (The gate closes at nine.) Tj ET';
const streamOf = (data: Buffer | string, more = '') => `<< /Length ${data.length} ${more}>>\nstream\n${data.toString('latin1' as never)}\nendstream`;
const paged = (content: string) => pdfOf([CATALOG, PAGES, FONT, PAGE, content]);
const blank = (mebibytes: number) => deflateSync(Buffer.concat([Buffer.from(`${SHOWN} `), Buffer.alloc(mebibytes * 2 ** 20, 32)]));
/** A table of objects that is a stream, whose entries have no bytes. */
const tableOf = (objects: string) =>
  Buffer.from(`%PDF-1.5\n1 0 obj\n<< /Type /XRef ${objects} /W [0 0 0] /Root 1 0 R /Length 0 >>\nstream\n\nendstream\nendobj\nstartxref\n9\n%%EOF`);
/** RunLengthDecode: 128 spaces in two bytes. */
const runs = Buffer.alloc(2 * 2_500_000, Buffer.from([129, 32]));

const LARGE: readonly (readonly [what: string, name: string, make: () => Promise<Uint8Array> | Uint8Array, said: RegExp])[] = [
  ['a page of 300 MB in 300 kB', 'a.pdf', () => paged(streamOf(blank(300), '/Filter /FlateDecode ')), /too large when it is unpacked/],
  [
    'the same packed twice, in 1 kB',
    'a.pdf',
    () => paged(streamOf(deflateSync(blank(300)), '/Filter [/FlateDecode /FlateDecode] ')),
    /too large when it is unpacked/,
  ],
  ['a page of 320 MB in another packing', 'a.pdf', () => paged(streamOf(runs, '/Filter /RunLengthDecode ')), /too large when it is unpacked/],
  [
    'a page of many contents that are the same',
    'a.pdf',
    () => pdfOf([CATALOG, PAGES, FONT, PAGE.replace('5 0 R', `[${'5 0 R '.repeat(40)}]`), streamOf(blank(20), '/Filter /FlateDecode ')]),
    /too large when it is unpacked/,
  ],
  ['a table of two thousand million objects', 'a.pdf', () => tableOf('/Size 2000000000'), /names more objects than it can have/],
  ['a table of as many in parts', 'a.pdf', () => tableOf(`/Size 9 /Index [${'0 90000 '.repeat(5_000)}]`), /names more objects than it can have/],
  [
    'a paragraph of 40 000 lines',
    'a.pdf',
    () =>
      paged(
        streamOf(
          deflateSync(`BT /F1 12 Tf ${'1 0 0 1 50 780 Tm (The gate) Tj 1 0 0 1 50 766 Tm (closes at nine.) Tj '.repeat(20_000)} ET`),
          '/Filter /FlateDecode ',
        ),
      ),
    /^The gate/,
  ],
  ['the name of a table again and again', 'a.pdf', () => Buffer.alloc(3_000_000, '%PDF-1.5 /XRef'), /damaged/],
  ['a plain table of as many', 'a.pdf', () => latin1(pdf([TEXT]), (text) => text.replace(/xref\n0 \d+/, 'xref\n0 2000000000')), /^The gate|damaged/],
  [
    'tables in a circle',
    'a.pdf',
    () => latin1(pdf([TEXT]), (text) => text.replace('trailer\n<< ', `trailer\n<< /Prev ${text.lastIndexOf('\nxref\n') + 1} `)),
    /^The gate/,
  ],
  ['a length that is the stream itself', 'a.pdf', () => paged(`<< /Length 5 0 R >>\nstream\n${SHOWN}\nendstream`), /^The gate|damaged|has no text/],
  [
    'an object without end',
    'a.pdf',
    () => pdfOf([`<< /Type /Catalog /Pages 2 0 R /X ${'<</A '.repeat(200_000)}>>`, PAGES, FONT, PAGE, streamOf(SHOWN)]),
    /damaged/,
  ],
  ['arrays in arrays without end', 'a.pdf', () => paged(streamOf('['.repeat(500_000) + SHOWN)), /has no text|damaged|^The gate/],
  [
    'an element with 200 000 attributes',
    'a.docx',
    () => body(`<w:document ${numbers(200_000, '="" a')}="">${paragraph('The gate.')}</w:document>`),
    /^The gate/,
  ],
  [
    'elements in elements',
    'a.docx',
    () => body(`${'<w:p>'.repeat(150_000)}${paragraph('The gate.')}${numbers(20_000, ' ')}`),
    /more than 512 elements in each other/,
  ],
  ['one line of megabytes', 'a.docx', () => body(paragraph(numbers(600_000, ' '))), /^0 /],
  ['one word of megabytes', 'a.docx', () => body(paragraph(numbers(600_000, ''))), /^0/],
];

for (const [what, name, make, said] of LARGE)
  test(`${what}: in bounded time and memory`, async () => {
    const file = await make();
    const before = { rss: process.memoryUsage.rss(), cpu: process.cpuUsage() };
    let most = 0;
    const looking = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
    assert.match(await outcomeOf(name, file), said);
    clearInterval(looking);
    const { user, system } = process.cpuUsage(before.cpu);
    const growth = (Math.max(most, process.memoryUsage.rss()) - before.rss) / 2 ** 20;
    assert.ok((user + system) / 1_000 < MAX_CPU_MS, `${(user + system) / 1_000} ms`);
    assert.ok(growth < MAX_GROWTH_MB, `${Math.round(growth)} MB`);
  });

test('what bounds one file does not stay: ordinary documents are read afterwards, also side by side', async () => {
  const all = await Promise.all([1, 2, 3].map(async (at) => outcomeOf('a.pdf', await pdf([[`Page ${at} is here.`]]))));
  assert.deepEqual(all, ['Page 1 is here.', 'Page 2 is here.', 'Page 3 is here.']);
  assert.equal(new Uint8Array(200 * 2 ** 20).length, 200 * 2 ** 20);
  assert.equal(await outcomeOf('a.pdf', paged(streamOf(blank(20), '/Filter /FlateDecode '))), 'The gate closes at nine.');
});

test.run();
