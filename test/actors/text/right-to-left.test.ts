// Lines of pdf files that are written right to left, as browsers write them: each word or letter where it stands on the page, from the left.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { readDocument } from '../../../actors/text/document/document.ts';
import { lineOf, type Piece } from '../../../actors/text/document/reading-order.ts';
import { pdfOf } from '../../plugins/ai/files.ts';

/** In points: of the type, of each of its signs, and of a space between words. */
const [SIZE, WIDTH, SPACE] = [12, 6, 3];
/** Latin, Hebrew, Arabic, and forms of Arabic letters: in a range of a map only the last byte counts on. */
const RANGES = `4 beginbfrange ${['00', '05', '06', 'fe'].map((first) => `<${first}00> <${first}ff> <${first}00>`).join(' ')} endbfrange`;
/** A vowel stands on its letter. */
const isMark = (sign: string) => /\p{M}/u.test(sign);

/** One line in a font whose codes are those of Unicode. @param words signs from the left, each a piece of its own */
function pagePdf(words: readonly string[]): Uint8Array {
  let left = 50;
  const shown = words.map((word) =>
    [...word].map((sign) => {
      const at = isMark(sign) ? left + 2 : left;
      if (!isMark(sign)) left += WIDTH;
      return `1 0 0 1 ${at} 700 Tm <${Buffer.from(sign, 'utf16le').swap16().toString('hex')}> Tj`;
    }),
  );
  const spaced = shown.map((signs, word) =>
    signs.map((sign) => sign.replace(/1 (\d+) 700/, (_, at: string) => `1 ${Number(at) + word * SPACE} 700`)).join('\n'),
  );
  const content = `BT /F1 ${SIZE} Tf\n${spaced.join('\n')}\nET`;
  const map = `/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange ${RANGES} endcmap end`;
  const marks = [...new Set(words.join(''))].filter(isMark).map((sign) => `${sign.charCodeAt(0)} [0]`);
  return new Uint8Array(
    pdfOf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [5 0 R] /Count 1 >>',
      '<< /Type /Font /Subtype /Type0 /BaseFont /Own /Encoding /Identity-H /DescendantFonts [4 0 R] /ToUnicode 7 0 R >>',
      `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Own /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor 8 0 R /DW 500 /W [${marks.join(' ')}] >>`,
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents 6 0 R >>',
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      `<< /Length ${map.length} >>\nstream\n${map}\nendstream`,
      '<< /Type /FontDescriptor /FontName /Own /Flags 4 /FontBBox [0 -200 500 900] /StemV 80 /ItalicAngle 0 /Ascent 900 /Descent -200 >>',
    ]),
  );
}

const textOf = async (words: readonly string[]) => (await readDocument('a.pdf', pagePdf(words))).passages.map(({ text }) => text).join(' ');
const turned = (text: string) => [...text].reverse().join('');
/** As the page shows a text that is read to the left: its letters and words from the left. */
const fromTheLeft = (text: string) => turned(text).split(' ');

test('pdf: words that stand on the page from the left are read from the right', async () => {
  for (const text of ['השומר מדליק את המנורה.', 'يشعل الحارس المصباح.']) assert.equal(await textOf(fromTheLeft(text)), text);
});

test('pdf: forms of letters become letters, so that words are found', async () => {
  // The keeper's guide, in the forms that a font has at the beginning, in the middle and at the end of a word.
  assert.equal(await textOf(['ﺱﺭﺎﺤﻟﺍ', 'ﻞﻴﻟﺩ']), 'دليل الحارس');
  assert.equal(await textOf(['ﻞﻴﻠﻟﺍ', 'ﻻ']), 'لا الليل');
});

test('pdf: vowels stay with their letters, and make no space', async () => {
  // On the page a vowel comes before its letter.
  assert.equal(await textOf(['םֹולָש']), 'שָלוֹם');
});

test('pdf: Latin words and numbers keep their order in a line that is read to the left', async () => {
  assert.equal(await textOf(['2024', 'תנשב', 'green', 'lamp', 'תיקרנ']), 'נרקית green lamp בשנת 2024');
  assert.equal(await textOf(['The', 'word', 'בוט', 'םולש', 'means', 'peace.']), 'The word שלום טוב means peace.');
});

const piece = (text: string, left: number, isRightToLeft: boolean, width = WIDTH * text.length): Piece => ({ text, left, width, isRightToLeft });

test('brackets are turned around, as the page shows them turned', () => {
  const pieces = [piece('(', 10, false), piece('בחוץ', 16, true), piece(')', 40, false), piece(' ', 46, false, 3), piece('המנורה', 49, true)];
  assert.equal(lineOf(pieces), 'המנורה (בחוץ)');
});

test('pieces that stand on the page in the order in which they are read keep it', () => {
  assert.equal(lineOf([piece('המנורה', 60, true), piece(' ', 57, false, 3), piece('בחוץ', 33, true)]), 'המנורה בחוץ');
  assert.equal(lineOf([piece('One', 10, false), piece(' ', 28, false, 3), piece('line.', 31, false)]), 'One line.');
});

test('codes that stand for no character divide no word, and a page of nothing else has no text', async () => {
  assert.equal(lineOf([piece('har\u0000bo\u0016ur', 10, false)]), 'harbour');
  await assert.rejects(textOf(['\u0000\u0000', '\u0001']), { code: 'BAD_REQUEST', detail: /^the pdf has no text/ });
});

test('a line of very many pieces is read: a way that looks at each pair of them would not end', () => {
  const pieces = Array.from({ length: 200_000 }, (_, at) => piece(at % 3 === 0 ? 'ש' : at % 3 === 1 ? ' ' : 'a', at * WIDTH, at % 3 === 0));
  assert.equal(lineOf(pieces).length, pieces.length);
});

test.run();
