// Documents as other programs write them: names of parts and prefixes, notes, moved text, text boxes, ruby, divided words.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { CharacterMaps } from '../../../actors/text/document/character-maps.ts';
import { readDocument } from '../../../actors/text/document/document.ts';
import { htmlBlocks } from '../../../actors/text/document/markup.ts';
import { readPdf } from '../../../actors/text/document/pdf.ts';
import { wordsOf } from '../../../text/words.ts';
import { docx, type Entry, epub, pdf, pdfOf } from '../../plugins/ai/files.ts';
import { skipWithout } from '../../system.ts';

const textOf = async (name: string, file: Uint8Array) => (await readDocument(name, new Uint8Array(file))).passages.map(({ text }) => text).join(' ');

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const RELATION = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const body = (content: string, prefix = 'w') =>
  `<${prefix}:document xmlns:${prefix}="${WORD}"><${prefix}:body>${content}</${prefix}:body></${prefix}:document>`;
const ofBody = async (content: string) => textOf('a.docx', await docx([], [{ name: 'word/document.xml', content: body(content) }]));
const relations = (name: string, targets: Readonly<Record<string, string>>): Entry => ({
  name,
  content: `<Relationships>${Object.entries(targets).map(([type, target]) => `<Relationship Id="r" Type="${RELATION}/${type}" Target="${target}"/>`)}</Relationships>`,
});
const p = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

test('docx: the relations of the package say where the body and its notes are', async () => {
  for (const [target, notes] of [
    ['word/document2.xml', 'notes7.xml'],
    ['/word/document2.xml', '/word/notes7.xml'],
  ] as const) {
    const file = await docx(
      ['An old body.'],
      [
        relations('_rels/.rels', { officeDocument: target, 'metadata/core-properties': 'docProps/core.xml' }),
        relations('word/_rels/document2.xml.rels', { footnotes: notes, image: 'media/a.png' }),
        { name: 'word/document2.xml', content: body(p('The body.')) },
        { name: 'word/notes7.xml', content: `<w:footnotes xmlns:w="${WORD}"><w:footnote>${p('A note.')}</w:footnote></w:footnotes>` },
      ],
    );
    assert.equal(await textOf('a.docx', file), 'The body.\n\nA note.');
  }
});

test('docx: HTML that Word takes in when it opens the file is read, and another file refused', async () => {
  const named = (aFChunk: string) => relations('word/_rels/document.xml.rels', { aFChunk });
  const chunk = {
    name: 'word/chunk.html',
    content: '<html><head><title>Not read</title></head><body><h1>Spices</h1><p>Saffron is dear.<br>Salt is not.</body></html>',
  };
  assert.deepEqual((await readDocument('a.docx', await docx(['Before.'], [named('chunk.html'), chunk]))).passages, [
    { text: 'Before.' },
    { text: 'Saffron is dear. Salt is not.', chapter: 'Spices' },
  ]);
  const latin = { name: 'word/chunk.html', content: Buffer.from('<meta charset="windows-1252"><p>M\u00fcller', 'latin1') };
  await assert.rejects(
    docx(['Before.'], [named('chunk.html'), latin]).then((file) => readDocument('a.docx', file)),
    /not in the encoding utf-8/,
  );
  await assert.rejects(
    docx(['Before.'], [named('/word/chunk.mht')]).then((file) => readDocument('a.docx', file)),
    /holds another file \(chunk\.mht\)/,
  );
});

test('docx: any prefix may stand for the namespace', async () => {
  const content =
    '<ns0:p><ns0:pPr><ns0:pStyle ns0:val="Heading1"/></ns0:pPr><ns0:r><ns0:t>A title</ns0:t></ns0:r></ns0:p><ns0:p><ns0:r><ns0:t>A text.</ns0:t></ns0:r></ns0:p>';
  const { passages } = await readDocument('a.docx', await docx([], [{ name: 'word/document.xml', content: body(content, 'ns0') }]));
  assert.deepEqual(passages, [{ text: 'A text.', chapter: 'A title' }]);
});

test('docx: what a reader sees, and once: no deleted or moved text, text boxes in one form, no ruby', async () => {
  const moved = `<w:p><w:moveFrom><w:r><w:t>Moved.</w:t></w:r></w:moveFrom><w:del><w:r><w:delText>Deleted.</w:delText></w:r></w:del></w:p>`;
  const box = (text: string) => `<w:txbxContent>${p(text)}</w:txbxContent>`;
  const boxes = `<w:p><w:r><w:t>Around </w:t></w:r><w:r><mc:AlternateContent><mc:Choice>${box('In a box.')}</mc:Choice><mc:Fallback>${box('In a box.')}</mc:Fallback></mc:AlternateContent></w:r><w:r><w:t>it.</w:t></w:r></w:p>`;
  const ruby =
    '<w:p><w:r><w:ruby><w:rt><w:r><w:t>とう</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>東</w:t></w:r></w:rubyBase></w:ruby></w:r><w:r><w:t>京</w:t></w:r></w:p>';
  const read = await ofBody(`${moved}<w:p><w:moveTo><w:r><w:t>Moved.</w:t></w:r></w:moveTo></w:p>${boxes}${ruby}`);
  assert.equal(read, 'Moved.\n\nIn a box.\n\nAround it.\n\n東京');
});

test('docx: a hyphen that no line ends at is one; formulas are read', async () => {
  assert.equal(await ofBody('<w:p><w:r><w:t>E</w:t><w:noBreakHyphen/><w:t>Mail</w:t></w:r></w:p>'), 'E\u2011Mail');
  assert.equal(await ofBody('<w:p><w:r><w:t>It is </w:t></w:r><m:oMath><m:r><m:t>E=mc</m:t></m:r></m:oMath></w:p>'), 'It is E=mc');
});

const chapter = (content: string): Entry => ({ name: 'OEBPS/text/c0.xhtml', content: `<html><head><title/></head><body>${content}</body></html>` });
const ofChapter = async (content: string) => textOf('a.epub', await epub(['A text.'], { more: [chapter(content)] }));

test('docx: the text of SmartArt and the title of a chart are read', async () => {
  const a = (text: string) => `<a:p><a:pPr/><a:r><a:rPr lang="en"/><a:t>${text}</a:t></a:r></a:p>`;
  const point = (text: string) => `<dgm:pt modelId="{1}"><dgm:prSet/><dgm:spPr/><dgm:t><a:bodyPr/><a:lstStyle/>${a(text)}</dgm:t></dgm:pt>`;
  const names = 'xmlns:dgm="urn:dgm" xmlns:a="urn:a" xmlns:c="urn:c"';
  const file = await docx(
    ['How we work.'],
    [
      relations('word/_rels/document.xml.rels', { diagramData: 'diagrams/data1.xml', diagramLayout: 'diagrams/layout1.xml', chart: 'charts/chart1.xml' }),
      { name: 'word/diagrams/data1.xml', content: `<dgm:dataModel ${names}><dgm:ptLst>${point('Plan')}${point('Build')}</dgm:ptLst></dgm:dataModel>` },
      { name: 'word/diagrams/layout1.xml', content: `<dgm:layoutDef ${names}>${point('Not shown')}</dgm:layoutDef>` },
      {
        name: 'word/charts/chart1.xml',
        content: `<c:chartSpace ${names}><c:title><c:tx><c:rich>${a('Ships a year')}</c:rich></c:tx></c:title></c:chartSpace>`,
      },
    ],
  );
  assert.equal(await textOf('a.docx', file), 'How we work.\n\nPlan\n\nBuild\n\nShips a year');
});

test('docx: signs of symbol fonts are read, and divide words where nobody reads them', async () => {
  const sign = (font: string, char: string) => `<w:r><w:sym w:font="${font}" w:char="${char}"/></w:r>`;
  const of = (...runs: string[]) => ofBody(`<w:p><w:r><w:t>a</w:t></w:r>${runs.join('')}<w:r><w:t>b</w:t></w:r></w:p>`);
  assert.equal(await of(sign('Symbol', 'F062'), sign('Symbol', 'F044'), sign('Symbol', '00B3'), sign('symbol', 'F0B1')), 'aβΔ≥±b');
  assert.equal(await of(sign('Symbol', 'F057'), sign('Symbol', 'F0AE'), sign('Symbol', 'F0E5')), 'aΩ→∑b');
  assert.equal(await of(sign('Wingdings', 'F0E0'), sign('Wingdings', 'F0FE')), 'a→☑b');
  for (const [font, char] of [
    ...[
      ['Wingdings', 'F04A'],
      ['Other', 'F041'],
      ['Symbol', 'F0FF'],
      ['Symbol', 'F085'],
    ],
    ...[
      ['Symbol', 'x'],
      ['Symbol', '-1'],
      ['Symbol', '1F600'],
    ],
  ] as const)
    assert.equal(await of(sign(font as string, char as string)), 'a b', `${font} ${char}`);
  assert.equal(await of(sign('Arial', '00E9')), 'aéb');
  assert.equal(await of(sign('Arial', 'D83D')), 'a b');
  assert.equal(await of('<w:r><w:constructor/></w:r>'), 'ab');
});

test('docx: a part that is not well-formed is refused, where half of it would have been read', async () => {
  const whole = body(`${p('One.')}<w:p/><w:p><w:r><w:t>Two.</w:t><w:tab/></w:r></w:p>`);
  const docxOf = (content: string) => docx([], [{ name: 'word/document.xml', content }]);
  const spoiled = [
    whole.slice(0, whole.indexOf('Two')),
    whole.slice(0, -'</w:document>'.length),
    whole.slice(0, -3),
    whole.replace('</w:r></w:p>', '</w:p>'),
    whole.replace('</w:r></w:p>', '</w:p></w:r>'),
    whole.replace('<w:p/>', '<w:p>'),
    whole.replace('<w:p/>', '</w:p>'),
  ];
  const readWhole = async (content: string) => textOf('a.docx', await docxOf(content));
  assert.equal(await readWhole(whole), 'One.\n\nTwo.');
  assert.equal(await readWhole(whole.replace('<w:p/>', '<!-- </w:p> --><w:p></w:p>')), 'One.\n\nTwo.');
  for (const content of spoiled)
    await assert.rejects(readWhole(content), { code: 'BAD_REQUEST', detail: /^word\/document\.xml is not well-formed XML/ }, content);
});

test('docx: a part whose bytes are no text in its encoding is refused: characters would be lost unnoticed', async () => {
  const inBytes = (text: string, encoding: 'latin1' | 'utf16le', declared: string) => {
    const part = `<?xml version="1.0" encoding="${declared}"?>${body(p(text))}`;
    return docx([], [{ name: 'word/document.xml', content: Buffer.from(part, encoding) }]);
  };
  assert.equal(await textOf('a.docx', await inBytes('Ein Wächter.', 'latin1', 'ISO-8859-1')), 'Ein Wächter.');
  for (const [encoding, declared] of [
    ['latin1', 'UTF-8'],
    ['utf16le', 'UTF-16'],
  ] as const)
    await assert.rejects(
      inBytes('Ein Wächter.', encoding, declared).then((file) => textOf('a.docx', file)),
      { code: 'BAD_REQUEST' },
      declared,
    );
});

const deep = (levels: number, name: string, inner: string) => `<${name}>`.repeat(levels) + inner + `</${name}>`.repeat(levels);

test('elements in each other: hundreds are read, and of thousands the first too many ends the reading', async () => {
  const most = /^the file has more than 512 elements in each other$/;
  const begun = performance.now();
  for (const levels of [600, 90_000]) {
    await assert.rejects(ofChapter(deep(levels, 'div', 'Deep.')), { code: 'BAD_REQUEST', detail: most });
    await assert.rejects(ofBody(deep(levels, 'w:p', '<w:r><w:t>Deep.</w:t></w:r>')), { code: 'BAD_REQUEST', detail: most });
  }
  // It took minutes.
  assert.ok(performance.now() - begun < 20_000);
  assert.equal(await ofChapter(deep(400, 'div', 'Deep.')), 'Deep.');
  assert.equal(await ofChapter(`${'<br/><img src="a"/>'.repeat(2_000)}<p>Wide.</p>`), 'Wide.');
  assert.equal(await ofBody(`${p('Wide.')}${'<w:p/>'.repeat(2_000)}`), 'Wide.');
});

test('too much text is refused while it is read; white space that lays out a file is none', async () => {
  // It must not be so small when it is packed that its size alone is refused.
  const words = Array.from({ length: 2_600_000 }, (_, at) => `so${at}`).join(' ');
  const tooMuch = { code: 'BAD_REQUEST', detail: 'the document has more than 20000000 characters' };
  await assert.rejects(ofChapter(`<p>${words}</p>`), tooMuch);
  await assert.rejects(ofBody(`<w:p><w:r><w:t>${words}</w:t></w:r></w:p>`), tooMuch);
  let read = 0;
  htmlBlocks(`<body>\n  <p>One\n${' '.repeat(1_000)}two.</p>\n  <script>Not read.</script>\n</body>`, true, (characters) => {
    read += characters;
  });
  assert.equal(read, 'One two.'.length);
});

test('epub: an element that ends where it begins holds nothing that follows; a CDATA section is text', async () => {
  assert.equal(await ofChapter('<script src="a.js"/><p>One.</p><svg/><p>Two.</p><h2 id="a"/><p>Three.</p>'), 'One.\n\nTwo.\n\nThree.');
  assert.equal(await ofChapter('<p>if <![CDATA[a < b && c]]> then</p>'), 'if a < b && c then');
});

test('a long title is cut between characters', async () => {
  const { title } = await readDocument('a.epub', new Uint8Array(await epub(['A text.'], { title: `a${'😀'.repeat(300)}` })));
  assert.equal(title, `a${'😀'.repeat(249)}`);
});

test('epub: how signs are pronounced does not divide a word', async () => {
  assert.equal(await ofChapter('<p><ruby>東<rp>(</rp><rt>とう</rt><rp>)</rp>京<rt>きょう</rt></ruby>の駅。</p>'), '東京の駅。');
});

test('epub: the container may have a prefix', async () => {
  const content =
    '<o:container xmlns:o="urn:oasis:names:tc:opendocument:xmlns:container"><o:rootfiles><o:rootfile full-path="OEBPS/book.opf"/></o:rootfiles></o:container>';
  assert.equal(await textOf('a.epub', await epub(['A text.'], { more: [{ name: 'META-INF/container.xml', content }] })), 'A text.');
});

test('pdf: a word divided at the end of a line is whole, and a hyphen of its own stays', async () => {
  // Lines have at most 80 characters.
  const line = 'so '.repeat(22);
  const divided = ['quarter- masterships', 'E- Mailservers', 'COVID- 19thcentury', 'is - somethingnew'].map((words) => `${line}${words}.`);
  const read = await textOf('a.pdf', pdf([divided]));
  for (const word of ['quartermasterships', 'E-Mailservers', 'COVID-19thcentury', 'is - somethingnew'])
    assert.ok(read.includes(` ${word}`), `${word} in ${read}`);
});

/** A page in a font of the reader's own, whose character codes a map of Adobe explains (ISO 32000-1 section 9.7.6.2). */
function chinesePdf(text: string): Uint8Array {
  const codes = Buffer.from(text, 'utf16le').swap16().toString('hex');
  const shown = `BT /F1 12 Tf 50 700 Td <${codes}> Tj ET`;
  return new Uint8Array(
    pdfOf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [5 0 R] /Count 1 >>',
      '<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [4 0 R] >>',
      '<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 4 >> /FontDescriptor 7 0 R >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents 6 0 R >>',
      `<< /Length ${shown.length} >>\nstream\n${shown}\nendstream`,
      '<< /Type /FontDescriptor /FontName /STSong-Light /Flags 6 /FontBBox [-25 -254 1000 880] /StemV 93 /ItalicAngle 0 /Ascent 880 /Descent -120 >>',
    ]),
  );
}

test('pdf: a character map that the file names and does not hold is the system’s, and told if it has none', async () => {
  await assert.rejects(readPdf(chinesePdf('港口'), new CharacterMaps('/nowhere')), {
    code: 'BAD_REQUEST',
    detail: /needs the character map UniGB-UCS2-H; .*poppler-data/,
  });
  if (skipWithout('poppler-data')) return;
  assert.equal(await textOf('a.pdf', chinesePdf('港口的守望者')), '港口的守望者');
});

test('character maps are asked for by their names alone', async () => {
  const maps = new CharacterMaps();
  for (const filename of ['../../../../etc/passwd', 'Adobe-GB1/UniGB-UCS2-H', ''])
    await assert.rejects(new maps.factory().fetch({ kind: 'cMapUrl', filename }), /is not available/);
  assert.throws(() => maps.requireAll(), { code: 'BAD_REQUEST' });
});

test('soft hyphens are no part of a word', () => {
  assert.deepEqual(wordsOf('The quarter\u00admas\u00adter'), ['the', 'quartermaster']);
});

test.run();
