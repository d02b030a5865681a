// Hostile and broken files: each is refused with what is wrong with it, in bounded time and memory, and the base stays as it was.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';
import { docx, type Entry, epub, form, pdf, pdfOf, zip } from './files.ts';

const TEXT = ['The gate closes at nine.'];

let server: TestServer;
let cookie: string;
test.before(async () => {
  server = await startServer({ config: '[ai]\nfile_limit = 2000000\n' });
  cookie = await signInAdmin(server);
});
test.after(() => server?.end());

const add = async (name: string, bytes: Uint8Array) =>
  server.ask('POST', '/add_reference', { cookie, ...(await form({ db: 'documents', reference: name }, { name, bytes })) });

const zeros = (mebibytes: number): Buffer => Buffer.alloc(mebibytes * 2 ** 20);
const entities = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>';
const bookOf = (href: string): Entry => ({
  name: 'OEBPS/book.opf',
  content: `<package><manifest><item id="a" href="${href}" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>`,
});
/** The names in both places where a zip archive has them. */
const renamed = (archive: Buffer, from: string, to: string) => Buffer.from(archive.toString('latin1').replaceAll(from, to), 'latin1');
/** @param spine IDs of chapters, of which the archive has `a` */
const spineOf = (spine: readonly string[], chapter: string): readonly Entry[] => [
  {
    name: 'OEBPS/book.opf',
    content: `<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/><item id="book" href="book.opf" media-type="application/xhtml+xml"/></manifest><spine>${spine.map((id) => `<itemref idref="${id}"/>`).join('')}</spine></package>`,
  },
  { name: 'OEBPS/a.xhtml', content: chapter },
];
const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>';
const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>';
const streamOf = (text: string, more = '') => `<< /Length ${text.length} ${more}>>\nstream\n${text}\nendstream`;
const SHOWN = 'BT /F1 12 Tf 50 780 Td (The gate closes at nine.) Tj ET';
const PAGE = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> /XObject << /X 6 0 R >> >> /Contents 5 0 R >>';
/** @param kids of the only node of the page tree, which is object 2; the page is object 4 */
const pdfWith = (kids: string, count: number, ...more: readonly string[]) =>
  pdfOf([CATALOG, `<< /Type /Pages /Kids [${kids}] /Count ${count} >>`, FONT, PAGE, ...more]);
const encryption = (algorithm: string): Entry => ({
  name: 'META-INF/encryption.xml',
  content: `<encryption xmlns:enc="x"><enc:EncryptedData><enc:EncryptionMethod Algorithm="${algorithm}"/></enc:EncryptedData></encryption>`,
});

const REFUSED: readonly (readonly [what: string, name: string, make: () => Promise<Uint8Array> | Uint8Array, message: RegExp])[] = [
  ['a text', 'a.txt', () => Buffer.from('plain text'), /not an epub, pdf or docx/],
  ['an empty file', 'a.pdf', () => Buffer.alloc(0), /is empty|missing form field/],
  ['a zip that is neither', 'a.docx', () => zip([{ name: 'a.txt', content: 'a' }]), /not an epub, pdf or docx/],
  ['another extension', 'a.pdf', () => docx(TEXT), /ends in \.pdf, but its content is that of \.docx/],
  ['an extension that is not allowed', 'a.exe', () => pdf([TEXT]), /ends in \.exe/],
  ['half an archive', 'a.epub', async () => (await epub(TEXT)).subarray(0, 300), /malformed/],
  ['half a pdf', 'a.pdf', () => pdf([TEXT]).subarray(0, 120), /damaged|no text/],
  ['a docx bomb of one entry', 'a.docx', () => docx(TEXT, [{ name: 'word/document.xml', content: zeros(60) }]), /too large when it is unpacked/],
  [
    'an epub bomb of many entries',
    'a.epub',
    () => epub(TEXT, { more: Array.from({ length: 10 }, (_, at) => ({ name: `b${at}`, content: zeros(30) })) }),
    /too large when it is unpacked/,
  ],
  ['a bomb beside the document', 'a.docx', () => docx(TEXT, [{ name: 'word/media/x.bin', content: zeros(40) }]), /too large when it is unpacked/],
  [
    'too many entries',
    'a.docx',
    () =>
      docx(
        TEXT,
        Array.from({ length: 5_001 }, (_, at) => ({ name: `x/${at}`, content: '' })),
      ),
    /at most 5000/,
  ],
  [
    'entities in a docx',
    'a.docx',
    () => docx(TEXT, [{ name: 'word/document.xml', content: `${entities}<w:document><w:t>&b;</w:t></w:document>` }]),
    /declares entities/,
  ],
  ['entities in an epub', 'a.epub', () => epub(TEXT, { more: [{ name: 'OEBPS/book.opf', content: `${entities}<package/>` }] }), /declares entities/],
  [
    'an external entity',
    'a.epub',
    () => epub(TEXT, { more: [{ name: 'OEBPS/text/c0.xhtml', content: '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><p>&a;</p>' }] }),
    /declares entities/,
  ],
  ['a manifest that leads out', 'a.epub', () => epub(TEXT, { more: [bookOf('../../../etc/passwd')] }), /outside of itself/],
  ['a manifest that leads out, encoded', 'a.epub', () => epub(TEXT, { more: [bookOf('%2e%2e/%2e%2e/%2e%2e/etc/passwd')] }), /outside of itself/],
  [
    'an entry that leads out',
    'a.docx',
    async () => renamed(await docx(TEXT, [{ name: 'aaaaaaaaaaaa', content: 'a' }]), 'aaaaaaaaaaaa', '../../../etc'),
    /malformed/,
  ],
  ['a protected epub', 'a.epub', () => epub(TEXT, { more: [encryption('http://www.w3.org/2001/04/xmlenc#aes128-cbc')] }), /encrypted/],
  ['a Word file with a password', 'a.docx', () => Buffer.from('d0cf11e0a1b11ae10000000000000000', 'hex'), /has a password/],
  ['an epub without text', 'a.epub', () => epub(['']), /has no text/],
  ['a pdf of images', 'a.pdf', () => pdf([[]]), /has no text/],
  ['a page tree that is its own child', 'a.pdf', () => pdfWith('2 0 R', 3_000), /damaged/],
  [
    'a page tree of two nodes in a circle',
    'a.pdf',
    () => pdfOf([CATALOG, '<< /Type /Pages /Kids [3 0 R] /Count 2 >>', '<< /Type /Pages /Kids [2 0 R] /Count 2 >>']),
    /damaged/,
  ],
  ['a pdf that names more pages than it may have', 'a.pdf', () => pdfWith('2 0 R', 1_000_000), /damaged|at most 5000/],
  ['a pdf whose content contains itself', 'a.pdf', () => pdfWith('4 0 R', 1, '[5 0 R 5 0 R]'), /has no text|damaged/],
  ['an archive in an archive', 'a.epub', async () => zip([{ name: 'a.epub', content: await epub(TEXT) }]), /not an epub, pdf or docx/],
];

for (const [what, name, make, message] of REFUSED)
  test(`${what} is refused, and nothing is stored`, async () => {
    const { status, body, text } = await add(name, await make());
    assert.equal(status, 400, text);
    assert.match(body.message, message);
    assert.deepEqual((await server.ask('GET', '/documentary_bases', { cookie })).body, { documentary_bases: { documents: [] } });
  });

const deleteIt = async (name: string) => server.ask('DELETE', '/delete_reference', { cookie, ...(await form({ db: 'documents', reference: name })) });
const passagesOf = async () => {
  const asked = await server.ask('POST', '/rag_predict', {
    cookie,
    ...(await form({ db: 'documents', query: 'When does the gate close?', sources: 'true', limit: '50' })),
  });
  return (asked.body.sources as { text: string }[]).map(({ text }) => text);
};

test('a spine that names a chapter thousands of times, and its own package, has the chapter once', async () => {
  const spine = [...Array<string>(5_000).fill('a'), 'book', 'a'];
  const { status, text } = await add('circle.epub', await epub([], { more: spineOf(spine, `<p>${TEXT[0]}</p>`) }));
  assert.equal(status, 200, text);
  assert.deepEqual(await passagesOf(), TEXT);
  await deleteIt('circle.epub');
});

test('a form that draws itself is read once on each way, and a small file of many paragraphs to its end', async () => {
  const form = streamOf(
    `${SHOWN} /X Do /X Do`,
    '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> /Font << /F1 3 0 R >> >> ',
  );
  assert.equal((await add('form.pdf', pdfWith('4 0 R', 1, streamOf(`${SHOWN} /X Do`), form))).status, 200);
  await deleteIt('form.pdf');
  // More than a call takes arguments.
  const many = `${'<p>a'.repeat(150_000)}<p>${TEXT[0]}</p>`;
  const { status, text } = await add('many.epub', await epub([], { more: spineOf(['a'], many) }));
  assert.equal(status, 200, text);
  await deleteIt('many.epub');
});

test('fonts that are obfuscated do not make an epub encrypted', async () => {
  const { status, text } = await add('a.epub', await epub(TEXT, { more: [encryption('http://www.idpf.org/2008/embedding')] }));
  assert.equal(status, 200, text);
});

test('a file beyond the limit is 413, and is not read to its end', async () => {
  const { status } = await add('a.pdf', Buffer.concat([pdf([TEXT]), Buffer.alloc(3_000_000)]));
  assert.equal(status, 413);
});

test('a name that says nothing of the kind does no harm, and capitals are the same extension', async () => {
  for (const name of ['report', 'REPORT.PDF', 'report v2.0', 'minutes of 3.10.2025']) assert.equal((await add(name, pdf([TEXT]))).status, 200, name);
  for (const name of ['report v2.0.exe', 'a.7z', 'a.mp3']) assert.equal((await add(name, pdf([TEXT]))).status, 400, name);
});

test.run();
