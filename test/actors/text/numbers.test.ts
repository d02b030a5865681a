// Numbers that a document shows and does not hold: those of lists and headings, in a docx and in an epub; and what stands above and below its pages.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { readDocument } from '../../../actors/text/document/document.ts';
import { htmlBlocks } from '../../../actors/text/document/markup.ts';
import { endsSentence, sentencesOf } from '../../../text/sentences.ts';
import { docx, type Entry } from '../../plugins/ai/files.ts';

const part = (name: string, root: string, content: string): Entry => ({
  name: `word/${name}.xml`,
  content: `<w:${root} xmlns:w="urn:w">${content}</w:${root}>`,
});
const style = (id: string, more: string) => `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${id}"/>${more}</w:style>`;
const place = (list: number, level?: number) => `<w:numPr>${level === undefined ? '' : `<w:ilvl w:val="${level}"/>`}<w:numId w:val="${list}"/></w:numPr>`;
const p = (text: string, properties = '') => `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
const level = (at: number, format: string, text: string, more = '<w:start w:val="1"/>') =>
  `<w:lvl w:ilvl="${at}">${more}<w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
const outline = (id: number, ...levels: string[]) => `<w:abstractNum w:abstractNumId="${id}">${levels.join('')}</w:abstractNum>`;
const list = (id: number, of: number, more = '') => `<w:num w:numId="${id}"><w:abstractNumId w:val="${of}"/>${more}</w:num>`;

/** @returns the paragraphs as they are read, headings among them */
async function read(body: string, numbering: string, more: readonly Entry[] = []): Promise<string[]> {
  const entries = [part('document', 'document', `<w:body>${body}</w:body>`), part('numbering', 'numbering', numbering), ...more];
  const { passages } = await readDocument('a.docx', new Uint8Array(await docx([], entries)));
  return passages.flatMap(({ chapter, text }) => [...(chapter ?? '').split(' – ').filter((each) => each !== ''), ...text.split('\n\n')]);
}

test('docx: items count for each level, begin anew below the next one above, and go on where they were', async () => {
  const numbering = outline(0, level(0, 'decimal', '%1.'), level(1, 'lowerLetter', '(%2)'), level(2, 'decimal', '%1.%2.%3')) + list(1, 0) + list(2, 0);
  const body = [p('One', place(1, 0)), p('A', place(1, 1)), p('B', place(1, 1)), p('Deep', place(1, 2)), p('Text'), p('Two', place(2, 0)), p('A', place(2, 1))];
  assert.deepEqual(await read(body.join(''), numbering), ['1. One', '(a) A', '(b) B', '1.b.1 Deep', 'Text', '2. Two', '(a) A']);
  const own = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>';
  assert.deepEqual(
    await read(
      [p('One', place(1, 0)), p('Anew', place(2, 0)), p('On', place(2, 0))].join(''),
      outline(0, level(0, 'upperRoman', '%1)')) + list(1, 0) + list(2, 0, own),
    ),
    ['I) One', 'VII) Anew', 'VIII) On'],
  );
});

test('docx: what counts: empty paragraphs do, deleted ones, bullets and other lists do not', async () => {
  const numbering = outline(0, level(0, 'decimal', '%1.')) + outline(1, level(0, 'bullet', '\uf0b7')) + list(1, 0) + list(2, 1);
  const deleted = `<w:p><w:pPr>${place(1, 0)}<w:rPr><w:del/></w:rPr></w:pPr><w:del><w:r><w:delText>Gone</w:delText></w:r></w:del></w:p>`;
  const before = `<w:pPrChange><w:pPr>${place(1, 0)}</w:pPr></w:pPrChange>`;
  const body = [p('One', place(1)), p('', place(1)), deleted, p('Bullet', place(2)), p('Of none', place(9)), p('Three', place(1)), p('Text', before)].join('');
  assert.deepEqual(await read(body, numbering), ['1. One', 'Bullet', 'Of none', '3. Three', 'Text']);
});

test('docx: styles number headings, by the level that names them; a paragraph may say otherwise', async () => {
  const named = (at: number, id: string) => `<w:start w:val="1"/><w:pStyle w:val="${id}"/>${at > 0 ? '<w:isLgl/>' : ''}`;
  const numbering = outline(0, level(0, 'upperRoman', 'Article %1', named(0, 'heading1')), level(1, 'decimal', '%1.%2', named(1, 'heading2'))) + list(1, 0);
  const styles = part(
    'styles',
    'styles',
    style('heading1', `<w:pPr>${place(1)}</w:pPr>`) + style('heading2', `<w:pPr>${place(1)}</w:pPr>`) + style('mine', '<w:basedOn w:val="heading2"/>'),
  );
  const of = (id: string, more = '') => `<w:pStyle w:val="${id}"/>${more}`;
  const body = [
    p('Scope', of('heading1')),
    p('Goods', of('mine')),
    p('T.'),
    p('Price', of('heading1')),
    p('Sum', of('heading2')),
    p('T.'),
    p('End', of('heading2', place(0))),
    p('T.'),
  ];
  assert.deepEqual(await read(body.join(''), numbering, [styles]), ['Article I Scope', '1.1 Goods', 'T.', 'Article II Price', '2.1 Sum', 'T.', 'End', 'T.']);
});

test('docx: numbers that would be endless are short', async () => {
  const numbering = outline(0, level(0, 'lowerLetter', '%1.', '<w:start w:val="2000000000"/>'), level(1, 'lowerRoman', '%2'.repeat(5_000))) + list(1, 0);
  const [first = '', second = ''] = await read(p('One', place(1, 0)) + p('Two', place(1, 1)), numbering);
  assert.equal(first, '32767. One');
  assert.ok(second.length < 200);
});

test('docx: what stands above and below pages is read once, but not the numbers of the pages', async () => {
  const header = (at: number, text: string) => part(`header${at}`, 'hdr', p(text) + p(String(at)));
  const relation = (at: number, kind: string) => `<Relationship Id="r${at}" Type="urn:r/${kind}" Target="${kind}${at}.xml"/>`;
  const relations = `<Relationships>${relation(1, 'header')}${relation(2, 'header')}${relation(3, 'header')}${relation(4, 'footer')}</Relationships>`;
  const more = [
    { name: 'word/_rels/document.xml.rels', content: relations },
    ...[header(1, 'Contract No. 4711'), header(2, 'Contract No. 4711'), header(3, 'Annex')],
    part('footer4', 'ftr', p('Confidential')),
  ];
  assert.deepEqual(await read(p('The seller sells.'), '', more), ['Contract No. 4711', 'Annex', 'The seller sells.', 'Confidential']);
});

const items = (html: string) => htmlBlocks(html, true).map(({ text }) => text);

test('epub: items have the numbers that a browser shows', () => {
  assert.deepEqual(
    items('<ol><li>One</li><li><p>Two</p><p>more</p><ul><li>Bullet</li></ul></li><li>Three<ol type="a"><li>A</li><li>B</li></ol></li><li>Four</li></ol>'),
    [...['1. One', '2. Two', 'more', 'Bullet', '3. Three', 'a. A', 'b. B', '4. Four']],
  );
  assert.deepEqual(items('<ol start="27" type="A"><li>One</li><li value="52">Two</li><li/><li>Four</li></ol>'), ['AA. One', 'AZ. Two', 'BB. Four']);
  assert.deepEqual(items('<ol type="i" reversed="" start="4"><li>One</li><li>Two</li></ol><ol reversed=""><li>Of how many</li></ol>'), [
    'iv. One',
    'iii. Two',
    'Of how many',
  ]);
  assert.deepEqual(items('<ol style="list-style-type: none"><li>One</li></ol><ol><li>1. Own number</li></ol><li>Of none</li>'), [
    'One',
    '1. Own number',
    'Of none',
  ]);
  assert.deepEqual(items('<nav><ol><li>Not read</li></ol></nav><ol><li>One</li></ol>'), ['1. One']);
});

test('a number is no sentence: it belongs to the item behind it', () => {
  assert.deepEqual(sentencesOf('1. Open the valve. Wait.\n\n2. Close it.\n\n(a) Look.\n\niv. Go.\n\n1.2. Then stop.'), [
    ...['1. Open the valve.', 'Wait.', '2. Close it.', '(a) Look.', 'iv. Go.', '1.2. Then stop.'],
  ]);
  assert.deepEqual(sentencesOf('There were 5. Then it was 1.\n\nNext.'), ['There were 5.', 'Then it was 1.', 'Next.']);
});

test('the number of a note behind a sentence ends it, and begins none', () => {
  const texts = ['It is seen in clear weather.1', 'It stands on a reef.”2', 'Bob agreed!3', 'Version 2.1 Beta came in 3.5 Months.', 'See Fig.3 The rest.'];
  assert.deepEqual(sentencesOf(texts.join(' ')), texts);
  assert.ok(endsSentence('in clear weather.12 '));
  assert.ok(!endsSentence('of section 3.12'));
  assert.deepEqual(sentencesOf('All of it!3 '), ['All of it!', '3']);
});

test.run();
