// What a docx says of its text: headings in the styles of each language of Word, in an author's own and in a paragraph itself; hidden text.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { readDocument } from '../../../actors/text/document/document.ts';
import { docx } from '../../plugins/ai/files.ts';

const style = (id: string, name: string, more = '') => `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${more}</w:style>`;
const based = (on: string) => `<w:basedOn w:val="${on}"/>`;
const level = (at: number) => `<w:pPr><w:outlineLvl w:val="${at}"/></w:pPr>`;
const paragraph = (properties: string, text: string) => `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
const styled = (id: string) => `<w:pStyle w:val="${id}"/>`;

const textOf = async (body: string) => {
  const file = await docx([], [{ name: 'word/document.xml', content: `<w:document xmlns:w="urn:w"><w:body>${body}</w:body></w:document>` }]);
  return (await readDocument('a.docx', new Uint8Array(file))).passages.map(({ text }) => text).join(' ');
};

/** @returns the chapter that the text behind the paragraph stands under */
async function chapterUnder(properties: string, styles?: string): Promise<string | undefined> {
  const body = paragraph(properties, 'Head') + paragraph('', 'Text.');
  const file = await docx(
    [],
    [
      { name: 'word/document.xml', content: `<w:document xmlns:w="urn:w"><w:body>${body}</w:body></w:document>` },
      ...(styles === undefined ? [] : [{ name: 'word/styles.xml', content: `<w:styles xmlns:w="urn:w">${styles}</w:styles>` }]),
    ],
  );
  return (await readDocument('a.docx', new Uint8Array(file))).passages.at(-1)?.chapter;
}

test('a built-in heading has an English name, whatever its identifier is', async () => {
  for (const id of ['berschrift1', 'Ttulo1', 'Titolo1', 'Kop1', 'Rubrik1', 'Nagwek1', 'Otsikko1', '1', '10'])
    assert.equal(await chapterUnder(styled(id), style(id, 'heading 1', based('a'))), 'Head', id);
  assert.equal(await chapterUnder(styled('a3'), style('a3', 'Title')), 'Head');
  assert.equal(await chapterUnder(styled('1'), style('1', 'List Paragraph')), undefined);
});

test('a style of an author’s own has a level, or is based on a heading; one of level 9 is text', async () => {
  const own = style('Mine', 'Mine', based('1')) + style('1', 'heading 1', level(0));
  assert.equal(await chapterUnder(styled('Mine'), own), 'Head');
  assert.equal(await chapterUnder(styled('Mine'), style('Mine', 'Mine', level(2))), 'Head');
  assert.equal(await chapterUnder(styled('Toc'), style('Toc', 'TOC Heading', based('1') + level(9)) + own), undefined);
  assert.equal(await chapterUnder(styled('A'), style('A', 'A', based('B')) + style('B', 'B', based('A'))), undefined);
});

test('what a paragraph itself says counts more than its style; how it was formatted before does not count', async () => {
  const heading = style('1', 'heading 1', level(0));
  assert.equal(await chapterUnder('<w:outlineLvl w:val="0"/>'), 'Head');
  assert.equal(await chapterUnder('<w:outlineLvl w:val="9"/>'), undefined);
  assert.equal(await chapterUnder(`${styled('1')}<w:outlineLvl w:val="9"/>`, heading), undefined);
  assert.equal(await chapterUnder(`<w:pPrChange><w:pPr>${styled('1')}</w:pPr></w:pPrChange>`, heading), undefined);
});

test('a file that does not tell its styles has headings by their usual identifiers', async () => {
  for (const id of ['Heading1', 'Title', 'Titre1', 'berschrift1']) assert.equal(await chapterUnder(styled(id)), 'Head', id);
  assert.equal(await chapterUnder(styled('Heading1'), style('1', 'heading 1')), 'Head');
  assert.equal(await chapterUnder(styled('Normal')), undefined);
});

test('hidden text is not read, and a position that text is set to is a space', async () => {
  const run = (properties: string, text: string) => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;
  const hidden = run('<w:vanish/>', 'To be filled in.');
  assert.equal(
    await textOf(`<w:p>${hidden}${run('', 'Seen.')}</w:p><w:p>${hidden}</w:p><w:p>${run('<w:vanish w:val="0"/>', 'Seen, too.')}</w:p>`),
    'Seen.\n\nSeen, too.',
  );
  assert.equal(await textOf(`<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>${run('', 'Only the end is hidden.')}</w:p>`), 'Only the end is hidden.');
  const before = '<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>';
  assert.equal(await textOf(`<w:p>${run(before, 'It was hidden.')}</w:p>`), 'It was hidden.');
  assert.equal(await textOf('<w:p><w:r><w:t>Left</w:t><w:ptab/><w:t>right.</w:t></w:r></w:p>'), 'Left right.');
});

test.run();
