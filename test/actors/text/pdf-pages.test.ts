// The pages of a pdf: what stands above and below the text, sentences that go on overleaf, pages that are turned, and what is filled in.
import assert from 'node:assert/strict';
import { deflateSync } from 'node:zlib';
import { test } from 'uvu';
import { readDocument } from '../../../actors/text/document/document.ts';
import type { Fault } from '../../../kernel/fault.ts';
import { type Placed, placedPdf } from '../../plugins/ai/files.ts';

const read = async (file: Uint8Array) => (await readDocument('a.pdf', new Uint8Array(file))).passages.map(({ page, text }) => `${page}: ${text}`);
const field = (rect = '', more = '') => `<< /Type /Annot /Subtype /Widget /Rect [${rect}] /F 4 ${more} >>`;
const body = (...texts: readonly string[]): readonly Placed[] => texts.map((text, at) => [text, 12, 50, 700 - 14 * at]);

test('what stands above and below the text is read once, and a sentence that goes on overleaf is whole', async () => {
  const texts = [
    ['The lamp of the great tower was lit'],
    ['for the first time in 1874. The oil came from the north,'],
    ['and it burned for four hours.'],
    ['Later it was gas.'],
  ];
  const pages = texts.map((lines, at): readonly Placed[] => [
    ['The Lighthouse', 12, 50, 790],
    ['30.11.2026', 12, 450, 790],
    ['Confidential', 12, 50, 40],
    [`page ${at + 7} of 10`, 12, 280, 20],
    ...body(...lines),
  ]);
  assert.deepEqual(await read(placedPdf(pages)), [
    '1: The Lighthouse 30.11.2026\n\npage 7 of 10\n\nConfidential\n\nThe lamp of the great tower was lit for the first time in 1874.',
    '2: The oil came from the north, and it burned for four hours.',
    '4: Later it was gas.',
  ]);
  const numbered = texts.map((lines, at): readonly Placed[] => [...body(...lines), [['i', 'ii', '- 1 -', '- 2 -'][at] ?? '', 12, 280, 20]]);
  assert.deepEqual((await read(placedPdf(numbered))).slice(2), ['3: - 1 -', '4: Later it was gas.\n\n- 2 -']);
  const preface = texts.map((lines, at): readonly Placed[] => [...body(...lines), [['i', '- ii -', 'iii', 'iv'][at] ?? '', 12, 280, 20]]);
  assert.equal((await read(placedPdf(preface))).at(-1), '4: Later it was gas.');
  const civil = texts.map((lines, at): readonly Placed[] => [...body(...lines), [['civil', 'mild', 'civic', 'livid'][at] ?? '', 12, 280, 20]]);
  assert.match((await read(placedPdf(civil))).at(-1) ?? '', /livid$/);
  const bare = ['', 'The lamp was lit.', '', ''].map((text): readonly Placed[] => [['Acme Ltd', 12, 50, 790], ...body(text), ['Confidential', 12, 50, 40]]);
  assert.deepEqual(await read(placedPdf(bare)), ['1: Acme Ltd\n\nConfidential', '2: The lamp was lit.']);
  const two = [['The tower is old, and it is higher.', 'It has a bell.', 'In the evening the lamp was lit by'], ['the keeper. It is gas.']];
  const short = two.map((lines, at): readonly Placed[] => [...body(...lines), [`Page ${at + 1}`, 12, 280, 20]]);
  assert.match((await read(placedPdf(short))).join(' '), /lit by\n\nPage 1 2: the keeper\./);
  const counted = texts.map((lines, at): readonly Placed[] => [...body(...lines), [`${at + 1}/4`, 12, 280, 20]]);
  assert.deepEqual((await read(placedPdf(counted))).at(-1), '4: Later it was gas.');
});

test('what the pages tell stays, also where it stands at their ends and is alike', async () => {
  const payslips = ['Ann', 'Bob', 'Cid', 'Dan'].map((name, at): readonly Placed[] => [
    [`Record ${at + 1}`, 12, 50, 800],
    [`Payslip of ${name}`, 12, 50, 700],
    [`Net pay ${[100, 200, 100, 300][at]}.00`, 12, 50, 60],
    [`${[100, 200, 100, 300][at]}.00`, 12, 50, 40],
  ]);
  assert.deepEqual(await read(placedPdf(payslips)), [
    '1: Record 1\n\nPayslip of Ann\n\nNet pay 100.00 100.00',
    '2: Record 2\n\nPayslip of Bob\n\nNet pay 200.00 200.00',
    '3: Record 3\n\nPayslip of Cid\n\nNet pay 100.00 100.00',
    '4: Record 4\n\nPayslip of Dan\n\nNet pay 300.00 300.00',
  ]);
  const lamps = ['230 V', '12 V', '5 V'].map((volts): readonly Placed[] => [[volts, 24, 50, 790], ...body('A lamp.')]);
  assert.match((await read(placedPdf(lamps))).join(' '), /230 V.*12 V.*5 V/s);
  for (const first of ['10101', '2026-0101']) {
    const invoices = ['Ann', 'Bob', 'Cid'].map((name, at): readonly Placed[] => [
      ['Invoice', 12, 50, 760],
      [first.replace(/101$/, `${101 + at}`), 12, 300, 760],
      ...body(`To ${name}.`),
    ]);
    assert.match((await read(placedPdf(invoices))).join(' '), /101\n.*102\n.*103\n/s);
  }
  const letters = ['Ann', 'Bob', 'Cid'].map((name) => body('This is to certify:', `${name} can swim.`, 'It is valid for two years.'));
  for (const [at, text] of (await read(placedPdf(letters))).entries()) assert.match(text, new RegExp(`^${at + 1}: This .* years\\.$`, 's'));
  const tables = ['Ann', 'Bob', 'Cid'].map((name): readonly Placed[] => [
    ['Name', 12, 50, 800],
    ['Town', 12, 300, 800],
    [`${name} of`, 12, 50, 700],
    ['Ulm', 12, 300, 700],
  ]);
  assert.equal((await read(placedPdf(tables)))[2], '3: Name Town\n\nCid of Ulm');
});

test('a list without full stops does not become a sentence over pages, and an item begins on its page', async () => {
  const wide = Array.from({ length: 20 }, (_, at) => `let value${at} = compute the sum of all that was there before and${at}`);
  const pages = [body(...wide), body(...wide)];
  assert.deepEqual(
    (await read(placedPdf(pages))).map((text) => text[0]),
    ['1', '2'],
  );
  assert.deepEqual(await read(placedPdf([body('The tower has'), body('1. a lamp')])), ['1: The tower has', '2: 1. a lamp']);
  assert.deepEqual(await read(placedPdf([body('It is a light-'), body('house.'), []])), ['1: It is a lighthouse.']);
});

test('a table on a page that is turned is read in rows', async () => {
  const lines: readonly Placed[] = [
    ['Item', 12, 50, -60],
    ['Price', 12, 250, -60],
    ['Gadget', 12, 50, -74],
    ['15 EUR', 12, 250, -74],
    ['Tool', 12, 50, -88],
    ['9 EUR', 12, 250, -88],
  ];
  const rows = ['1: Item Price\n\nGadget 15 EUR\n\nTool 9 EUR'];
  assert.deepEqual(await read(placedPdf([lines], { page: '/Rotate 90', before: '0 1 -1 0 0 0 cm' })), rows);
  assert.deepEqual(await read(placedPdf([lines], { page: '/Rotate 270', before: '0 -1 1 0 595 842 cm' })), rows);
  assert.deepEqual(await read(placedPdf([lines], { page: '/Rotate 180', before: '-1 0 0 -1 595 0 cm' })), rows);
});

test('what is filled into a form on a turned page stands beside what asks for it, choices as they show', async () => {
  const lines: readonly Placed[] = [
    ['Surname', 12, 50, -60],
    ['Country', 12, 50, -100],
  ];
  const turnedForm = (page: string, before: string, rects: readonly string[]) => {
    const objects = [
      field(rects[0], '/FT /Tx /T (a) /V (Lovelace)'),
      field(rects[1], '/FT /Ch /Ff 131072 /T (b) /V (DE) /Opt [[(DE) (Germany)] [(FR) (France)]]'),
    ];
    return placedPdf([lines], { page: `${page} /Annots [7 0 R 8 0 R]`, before, catalog: '/AcroForm << /Fields [7 0 R 8 0 R] >>', objects });
  };
  const told = ['1: Surname Lovelace\n\nCountry Germany'];
  assert.deepEqual(await read(turnedForm('/Rotate 90', '0 1 -1 0 0 0 cm', ['48 150 68 300', '88 150 108 300'])), told);
  assert.deepEqual(await read(turnedForm('/Rotate 180', '-1 0 0 -1 595 0 cm', ['295 48 445 68', '295 88 445 108'])), told);
  assert.deepEqual(await read(turnedForm('/Rotate 270', '0 -1 1 0 595 842 cm', ['527 542 547 692', '487 542 507 692'])), told);
});

test('what is filled into a form or typed onto a page is read beside what asks for it', async () => {
  const objects = [
    field('120 695 270 715', '/FT /Tx /T (name) /V (Lovelace)'),
    field('350 695 500 715', '/FT /Tx /T (first) /V (Ada)'),
    field('50 660 70 680', '/FT /Btn /T (goods) /V /Yes /AS /Yes /AP << /N << /Yes 3 0 R /Off 3 0 R >> >>'),
    field('50 600 300 635', '/FT /Tx /T (remarks) /V (With care.\\nNot tipped.) /Ff 4096'),
    field('50 500 300 520', '/FT /Tx /T (secret) /V (hidden) /Ff 8192'),
    '<< /Type /Annot /Subtype /FreeText /Rect [50 400 300 420] /F 4 /DA (/F1 12 Tf) /Contents (Seen by Bob) /AP << /N 13 0 R >> >>',
    '<< /Type /XObject /Subtype /Form /BBox [0 0 250 20] /Resources << /Font << /F1 3 0 R >> >> /Length 39 >>\nstream\nBT /F1 12 Tf 2 5 Td (Seen by Bob) Tj ET \nendstream',
  ];
  const annotations = objects
    .slice(0, 6)
    .map((_, at) => `${7 + at} 0 R`)
    .join(' ');
  const lines: readonly Placed[] = [
    ['Surname', 12, 50, 700],
    ['First name', 12, 280, 700],
    ['Dangerous goods', 12, 80, 665],
    ['Remarks', 12, 50, 640],
    ['Password', 12, 50, 530],
  ];
  const file = placedPdf([lines], { catalog: '/AcroForm << /Fields [7 0 R 8 0 R 9 0 R 10 0 R 11 0 R] >>', page: `/Annots [${annotations}]`, objects });
  assert.deepEqual(await read(file), [
    '1: Surname Lovelace First name Ada\n\n☒ Dangerous goods\n\nRemarks\n\nWith care. Not tipped.\n\nPassword\n\nSeen by Bob',
  ]);
});

test('what is typed onto a page is read from compressed objects too', async () => {
  const inside = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Annots [4 0 R] >>',
    '<< /Type /Annot /Subtype /FreeText /Rect [50 400 300 420] /F 4 /DA (/F1 12 Tf) /Contents (Seen) /AP << /N 6 0 R >> >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  const head = inside.map((_, at) => `${at + 1} ${inside.slice(0, at).join(' ').length + Math.min(at, 1)} `).join('');
  const form = '/Type /XObject /Subtype /Form /BBox [0 0 250 20] /Resources << /Font << /F1 5 0 R >> >>';
  const stream = (number: number, entries: string, data: string) =>
    `${number} 0 obj\n<< ${entries} /Length ${data.length} >>\nstream\n${data}\nendstream\nendobj\n`;
  const parts = [
    '%PDF-1.5\n',
    stream(6, form, 'BT /F1 12 Tf 2 5 Td (Seen by Bob) Tj ET'),
    stream(7, `/Type /ObjStm /N 5 /First ${head.length} /Filter /FlateDecode`, deflateSync(head + inside.join(' ')).toString('latin1')),
  ];
  const at = (index: number) => parts.slice(0, index).join('').length;
  const rows = [[0, 0, 255], ...inside.map((_, index) => [2, 7, index]), [1, at(1), 0], [1, at(2), 0], [1, at(3), 0]];
  const table = String.fromCharCode(...rows.flatMap(([type = 0, place = 0, index = 0]) => [type, place >> 8, place & 255, index]));
  const file = `${parts.join('')}${stream(8, '/Type /XRef /Size 9 /W [1 2 1] /Root 1 0 R', table)}startxref\n${at(3)}\n%%EOF\n`;
  assert.deepEqual(await read(Buffer.from(file, 'latin1')), ['1: Seen by Bob']);
});

test('of lines at the same height, in columns, a value goes to the one that asks for it', async () => {
  const objects = [
    field('120 695 270 715', '/FT /Tx /T (a) /V (Lovelace)'),
    field('350 695 500 715', '/FT /Tx /T (b) /V (Ada)'),
    field('280 615 300 635', '/FT /Btn /T (c) /V /Yes /AS /Yes /AP << /N << /Yes 3 0 R /Off 3 0 R >> >>'),
  ];
  const lines: readonly Placed[] = [
    ['Surname', 12, 50, 700],
    ['Express', 12, 80, 620],
    ['First name', 12, 280, 700],
    ['Fragile', 12, 310, 620],
  ];
  const file = placedPdf([lines], { catalog: '/AcroForm << /Fields [7 0 R 8 0 R 9 0 R] >>', page: '/Annots [7 0 R 8 0 R 9 0 R]', objects });
  assert.match((await read(file)).join(), /^1: Surname Lovelace\s+Express\s+First name Ada\s+☒ Fragile$/);
});

test('a form without pages of its own and a collection of files are refused', async () => {
  const wait = [body('Please wait... If this message is not replaced, your viewer may not be able to show this document.')];
  const refused = (catalog: string, detail: RegExp) =>
    assert.rejects(read(placedPdf(wait, { catalog, objects: ['<< /Length 6 >>\nstream\n<xdp/>\nendstream'] })), (error: Fault) =>
      detail.test(error.detail ?? error.message),
    );
  await refused('/AcroForm << /Fields [] /XFA 7 0 R >>', /XFA/);
  await refused('/Collection << /Type /Collection >>', /collection of files/);
});

test('items without a mark are apart if the tags say so; a paragraph for each line divides no sentence', async () => {
  const texts = ['Oil comes in March', 'coal in November', 'The lamp was lit', 'in the year 1874', 'Later more'];
  const lines = texts.map((text, at): Placed => [text, 12, 50, 700 - 14 * at, at]);
  const tagged = (roles: readonly string[], marked = 'true') => {
    const elements = roles.map((role, at) => `<< /Type /StructElem /S /${role} /P 7 0 R /Pg 5 0 R /K ${at} >>`);
    const kids = roles.map((_, at) => `${8 + at} 0 R`).join(' ');
    const tree = `<< /Type /StructTreeRoot /K [${kids}] /ParentTree << /Nums [0 [${kids}]] >> >>`;
    return placedPdf([lines], { catalog: `/MarkInfo << /Marked ${marked} >> /StructTreeRoot 7 0 R`, page: '/StructParents 0', objects: [tree, ...elements] });
  };
  assert.deepEqual(await read(tagged(['LI', 'LI', 'P', 'P', 'P'])), [
    '1: Oil comes in March\n\ncoal in November\n\nThe lamp was lit in the year 1874\n\nLater more',
  ]);
  assert.deepEqual(await read(tagged(['Span', 'Span', 'Span', 'Span', 'Span'])), [`1: ${texts.join(' ')}`]);
  assert.deepEqual(await read(tagged(['LI', 'LI', 'LI', 'LI', 'LI'], 'false')), [`1: ${texts.join(' ')}`]);
});

test('a title that a program made up is none', async () => {
  const titles: Readonly<Record<string, string>> = {
    untitled: '',
    '\\(anonymous\\)': '',
    'Untitled Document 2': '',
    'PowerPoint Presentation': '',
    'PowerPoint-Pr\\344sentation': '',
    Unbenannt1: '',
    'Microsoft Word - handbook.docx': 'handbook',
    'thesis.dvi': 'thesis',
    'The Untitled Book': 'The Untitled Book',
    'Report v2.0': 'Report v2.0',
    'Word - an essay': 'an essay',
    'Bericht \\374ber PDF': 'Bericht \u00fcber PDF',
    '\\376\\377\\004\\037\\004\\076\\000 \\000P\\000D\\000F': '\u041f\u043e PDF',
    [`title${'-'.repeat(40_000)}x`]: `title${'-'.repeat(495)}`,
  };
  for (const [title, known] of Object.entries(titles)) assert.equal((await readDocument('a.pdf', placedPdf([body('Text.')], { title }))).title, known, title);
});

test.run();
