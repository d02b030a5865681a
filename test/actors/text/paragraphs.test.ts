// Where a sentence ends without a full stop: headings in bold type, items of lists and rows of tables, in each kind of document.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { readDocument } from '../../../actors/text/document/document.ts';
import { type Line, paragraphsOf, placedLine } from '../../../actors/text/document/paragraphs.ts';
import { answersTo } from '../../../text/answers.ts';
import { docx, epub, type Placed, placedPdf } from '../../plugins/ai/files.ts';

const textsOf = async (name: string, file: Uint8Array) => (await readDocument(name, new Uint8Array(file))).passages.map(({ text }) => text);

const p = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const cell = (...content: string[]) => `<w:tc>${content.join('')}</w:tc>`;
const ofBody = async (content: string) =>
  textsOf('a.docx', await docx([], [{ name: 'word/document.xml', content: `<w:document xmlns:w="urn:w"><w:body>${content}</w:body></w:document>` }]));
const ofChapter = async (content: string) =>
  textsOf('a.epub', await epub(['A text.'], { more: [{ name: 'OEBPS/text/c0.xhtml', content: `<html><body>${content}</body></html>` }] }));

test('docx: paragraphs are apart, and a row of a table is one', async () => {
  const row = (...texts: string[]) => `<w:tr>${texts.map((text) => cell(p(text))).join('')}</w:tr>`;
  const table = `<w:tbl>${row('Item', 'Price')}${row('Gadget', '15 EUR')}</w:tbl>`;
  assert.deepEqual(await ofBody(p('Lost property') + p('The porter keeps it.') + table), [
    'Lost property\n\nThe porter keeps it.\n\nItem Price\n\nGadget 15 EUR',
  ]);
});

test('a table that lays out a page stays in its paragraphs; one may stand in another, and not be closed', async () => {
  const inner = '<table><tr><td>Gadget</td><td>15 EUR</td></tr></table>';
  assert.deepEqual(await ofChapter(`<table><tr><td><p>One</p><p>Two</p></td><td>Three</td></tr><tr><td>Left</td><td>${inner}</td></tr></table>`), [
    'One\n\nTwo\n\nThree\n\nLeft Gadget 15 EUR',
  ]);
  assert.deepEqual(await ofChapter('<table><tr><td><h2>Head</h2></td><td>Text.</td></tr></table><table><tr><td>Open</td><td>row'), ['Text.\n\nOpen row']);
  assert.deepEqual(await ofBody(`<w:tbl><w:tr>${cell(p('One'), p('Two'))}${cell(p('Three'))}</w:tr></w:tbl>`), ['One\n\nTwo\n\nThree']);
});

test('epub: what browsers show as a block is one: its words are not joined with those around it', async () => {
  const names = 'address center details dialog fieldset form hgroup legend menu option search summary'.split(' ');
  for (const name of names) assert.deepEqual(await ofChapter(`Refunds<${name}>Within</${name}>a month`), ['Refunds\n\nWithin\n\na month'], name);
  assert.deepEqual(await ofChapter('Refunds<nav>Not read</nav>within <em>a</em> month'), ['Refunds\n\nwithin a month']);
});

test('pdf: a heading in larger letters, items and rows of a table are apart, a wrapped line is not', async () => {
  const lines: readonly Placed[] = [
    ['Opening hours', 20, 50, 780],
    ['The office opens at nine on all days of the week, and at ten on', 12, 50, 760],
    ['Sundays.', 12, 50, 746],
    ['Item', 12, 50, 732],
    ['Price', 12, 200, 732],
    ['Gadget', 12, 50, 718],
    ['15 EUR', 12, 200, 718],
    ['\\225 No dogs in the library', 12, 50, 704],
    ['\\225 Bicycles go to the shed', 12, 50, 690],
  ];
  assert.deepEqual(await textsOf('a.pdf', placedPdf([lines])), [
    'Opening hours\n\nThe office opens at nine on all days of the week, and at ten on Sundays.\n\nItem Price\n\nGadget 15 EUR\n\n• No dogs in the library\n\n• Bicycles go to the shed',
  ]);
});

const line = (text: string, y: number, width = 400): Line => ({ text, y, height: 12, width, hasGap: false });

test('pdf: a sentence goes on in a text of double distance, in the next column and below a picture', () => {
  assert.deepEqual(paragraphsOf([line('Built by', 700), line('Jean Martin in', 672), line('Saint Malo.', 644, 90), line('Later more.', 616)]), [
    'Built by Jean Martin in Saint Malo.',
    'Later more.',
  ]);
  assert.deepEqual(paragraphsOf([line('One', 128), line('Two, built by', 114), line('Jean Martin', 100), line('Saint Malo grew.', 700)]), [
    'One Two, built by Jean Martin Saint Malo grew.',
  ]);
  assert.deepEqual(paragraphsOf([line('It was', 700, 90), line('built.', 500), line('', 490), line('A caption', 400, 90), line('Then', 380)]), [
    'It was built.',
    'A caption',
    'Then',
  ]);
  assert.deepEqual(paragraphsOf([]), []);
});

test('pdf: a number before an item and an exponent are no cells of a table', () => {
  const piece = (text: string, left: number, y = 700, height = 12) => ({ text, left, y, height, width: text.length * 6, isRightToLeft: false });
  assert.equal(placedLine([piece('1.', 50), piece('Bicycles go to', 90)]).hasGap, false);
  assert.equal(placedLine([piece('Gadget', 50), piece('15 EUR', 190)]).hasGap, true);
  assert.equal(placedLine([piece('1', 50), piece('Gadget', 90), piece('15 EUR', 190)]).hasGap, true);
  const lines = [[piece('The area is a', 50)], [piece('2', 130, 705, 7)], [piece('and no more.', 140)]].map(placedLine);
  assert.deepEqual(paragraphsOf(lines), ['The area is a 2 and no more.']);
});

test('pdf: items with numbers, letters or dashes are apart; a number in a sentence begins none', () => {
  const items = ['1. Open the valve', '2. Close the gate', 'a) the left one', '(iv) the last one', '– Look again', 'J. Smith looks.'].map((text, at) =>
    line(text, 700 - 14 * at),
  );
  const read = ['1. Open the valve', '2. Close the gate', 'a) the left one', '(iv) the last one', '– Look again J. Smith looks.'];
  assert.deepEqual(paragraphsOf(items), read);
  assert.deepEqual(
    paragraphsOf([line('Steps', 128, 60), line('1. Open it and', 114), line('see step', 100), line('3. of the list.', 86), line('2. Close it.', 72)]),
    [...['Steps', '1. Open it and see step 3. of the list.', '2. Close it.']],
  );
});

test('an answer is the item or row that was asked for, and a heading brings what it stands over', () => {
  const texts = [
    'Prices\n\nItem Price\n\nGadget 15 EUR\n\nRules\n\nNo dogs on the lawn\n\nBicycles go to the shed\n\nLost property\n\nThe porter keeps umbrellas.',
  ];
  assert.deepEqual(answersTo('Where do bicycles go?', texts), ['Bicycles go to the shed']);
  assert.equal(answersTo('How much is the gadget?', texts)[0], 'Gadget 15 EUR');
  assert.deepEqual(answersTo('lost property', texts), ['Lost property\nThe porter keeps umbrellas.']);
  assert.deepEqual(answersTo('Does the porter keep lost umbrellas?', texts), ['The porter keeps umbrellas.']);
  assert.deepEqual(answersTo('bells on the lawn', ['• No bells on the lawn\n\n• Bicycles go to the shed']), ['• No bells on the lawn']);
  assert.deepEqual(answersTo('prices', texts), ['Prices\nItem Price']);
});

test.run();
