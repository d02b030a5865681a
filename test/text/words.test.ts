// Words, sentences and passages of texts in several languages.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { passagesOf } from '../../text/passages.ts';
import { sentencesOf } from '../../text/sentences.ts';
import { termsOf, wordsOf } from '../../text/words.ts';

test('words have no case and no accents; marks that are vowels or make another sign stay', () => {
  assert.deepEqual(wordsOf("L'ÉTÉ, naïve ﬁne Ёлка שָׁלוֹם"), ['l', 'ete', 'naive', 'fine', 'елка', 'שלום']);
  assert.deepEqual(wordsOf('STRASSE Straße, ΟΔΟΣ οδός οδοσ'), ['strasse', 'strasse', 'οδοσ', 'οδοσ', 'οδοσ']);
  assert.deepEqual(wordsOf('किताब कुत्ता'), ['किताब', 'कुत्ता']);
  assert.deepEqual(wordsOf('ガ カ'), ['ガ', 'カ']);
});

test('words without spaces between them are pairs of signs, or what a dictionary knows', () => {
  assert.deepEqual(wordsOf('東京に行く'), ['東', '東京', '京', '京に', 'に行', '行', '行く']);
  assert.deepEqual(wordsOf('RFC 5246はTLS 1.2です'), ['rfc', '5246', 'は', 'tls', '1', '2', 'です']);
  assert.deepEqual(wordsOf('서울에서'), ['서울에서', '서울', '울에', '에서']);
  assert.deepEqual(wordsOf('ฉันรักแมว'), ['ฉัน', 'รัก', 'แมว']);
  assert.deepEqual(wordsOf("don't 日"), ['don', 't', '日']);
});

test('names of letters and digits are found in one word and in two; a hash is one', () => {
  assert.deepEqual(wordsOf('RFC5246, 42nd'), ['rfc5246', 'rfc', '5246', '42nd', '42', 'nd']);
  assert.deepEqual(wordsOf('a1b2c3d4e5f6'), ['a1b2c3d4e5f6']);
});

test('a run of combining marks, which would take seconds to compose, is left out', () => {
  assert.deepEqual(wordsOf(`a${'\u0315\u0316'.repeat(200_000)}b c\u0301`), ['ab', 'c']);
});

test('a text that is read in slices has the same words', () => {
  for (const between of [' ', '\n', '\u2003']) {
    const text = Array.from({ length: 50_000 }, (_, at) => `Straße${at}`).join(between);
    const words = wordsOf(text);
    assert.equal(words.length, 150_000);
    assert.equal(words.filter((word, at) => at % 3 === 0 && word !== `strasse${at / 3}`).length, 0);
  }
});

test('terms have no endings, and words that say nothing are left out', () => {
  assert.deepEqual(termsOf('The rotations of the rotating keys'), ['rotat', 'rotat', 'kei']);
  assert.deepEqual(termsOf('what is this'), []);
  assert.ok((termsOf('x'.repeat(10_000))[0] as string).length <= 64);
});

test('sentences end at full stops, not at abbreviations, line breaks or initials', () => {
  assert.deepEqual(sentencesOf('Dr. Brandt keeps the\nlight. It burns!  Who pays?'), ['Dr. Brandt keeps the light.', 'It burns!', 'Who pays?']);
  assert.deepEqual(sentencesOf('A heading\n\nA sentence.\n- one item\n- another'), ['A heading', 'A sentence.', '- one item', '- another']);
  assert.deepEqual(sentencesOf('Ask Dr.\n\nBrandt keeps\u2029the light.'), ['Ask Dr.', 'Brandt keeps the light.']);
  assert.deepEqual(sentencesOf(' \n '), []);
});

test('passages are whole sentences under one heading on one page, and not too long', () => {
  const long = Array.from({ length: 60 }, (_, at) => `This is sentence number ${at} of a paragraph.`).join(' ');
  const passages = passagesOf([
    { text: 'One', isHeading: true },
    { text: long, isHeading: false },
    { text: 'Two', isHeading: true },
    { text: 'Short.', isHeading: false },
    { text: 'On page two.', isHeading: false, page: 2 },
  ]);
  assert.ok(passages.every(({ text }) => text.split(' ').length <= 160));
  assert.equal(
    passages
      .filter(({ chapter }) => chapter === 'One')
      .map(({ text }) => text)
      .join(' '),
    long,
  );
  assert.deepEqual(passages.slice(-2), [
    { text: 'Short.', chapter: 'Two' },
    { text: 'On page two.', chapter: 'Two', page: 2 },
  ]);
});

test('a sentence without an end is cut; a document of headings alone is not lost', () => {
  const passages = passagesOf([{ text: 'word '.repeat(5_000), isHeading: false }]);
  assert.ok(passages.length > 10 && passages.every(({ text }) => text.length <= 2_000));
  assert.deepEqual(passagesOf([{ text: 'Only this', isHeading: true }]), [{ text: 'Only this' }]);
});

const heading = (text: string) => ({ text, isHeading: true });

test('a heading under another one goes with it, and one with nothing under it is a passage', () => {
  assert.deepEqual(
    passagesOf([heading('Refunds'), heading('In the union'), { text: 'Within a month.', isHeading: false }, heading('Elsewhere'), heading('The end')]),
    [{ text: 'Within a month.', chapter: 'Refunds – In the union' }, { text: 'Elsewhere – The end' }],
  );
  const many = Array.from({ length: 100 }, (_, at) => `Heading number ${at}`);
  const all = passagesOf(many.map(heading));
  assert.equal(all.map(({ text }) => text).join(' – '), many.join(' – '));
  assert.ok(all.every(({ text }) => text.length <= 200));
});

test('a text that has the style of a heading is not lost, however long', () => {
  const long = Array.from({ length: 60 }, (_, at) => `Sentence ${at}.`).join(' ');
  const passages = passagesOf([heading('One'), heading(long), { text: 'Under it.', isHeading: false }]);
  assert.deepEqual(passages, [{ text: 'One' }, { text: `${long}\n\nUnder it.`, chapter: long.slice(0, 200) }]);
});

test.run();
