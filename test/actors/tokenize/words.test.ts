// The methods word-mask and word-tokenize: Unicode words, comparison without case, tokens per request, long lists.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'uvu';
import { refusal, result } from './ask.ts';

const mask = (data: string, words: readonly string[]) => result('word-mask', { data, words });
const TOKEN = /^[0-9A-F]{32}$/;

test('listed words are masked without regard to case, only as whole words, and all else stays', () => {
  assert.equal(mask('Confidential: the confidential report, CONFIDENTIALLY.', ['confidential']), 'XXXX: the XXXX report, CONFIDENTIALLY.');
  assert.equal(mask('(secret)\t"Secret" secrets', ['SECRET']), '(XXXX)\t"XXXX" secrets');
  assert.equal(mask('nothing of it', []), 'nothing of it');
  assert.equal(mask('', ['a']), '');
});

test('letters that have one upper case or one lower case are one letter, as Unicode folds case', () => {
  assert.equal(mask('Weiß WEISS weiss WEIẞ weis', ['weiß']), 'XXXX XXXX XXXX XXXX weis');
  assert.equal(mask('STRASSE straße', ['strasse']), 'XXXX XXXX');
  assert.equal(mask('ΟΔΌΣ οδός οδόσ', ['ΟΔΌΣ']), 'XXXX XXXX XXXX');
  assert.equal(mask('µm μm ΜM \u212a ſ ﬁx', ['μm', 'k', 's', 'FIX']), 'XXXX XXXX XXXX XXXX XXXX XXXX');
  assert.equal(mask('ΐ \u03b9\u0308\u0301 Ϊ\u0301', ['ΐ']), 'XXXX XXXX XXXX');
  // The dotless i and the dotted one are letters of their own.
  assert.equal(mask('ısı isi ISI ISİ', ['ısı']), 'XXXX isi ISI ISİ');
  assert.equal(mask('İstanbul istanbul i\u0307stanbul', ['İSTANBUL']), 'XXXX istanbul XXXX');
  const [upper, lower] = (result('word-tokenize', { data: 'WEISS weiß', words: ['Weiß'] }) as string).split(' ');
  assert.equal(upper, lower);
});

test('a listed word has at most 1024 characters, counted as code points', () => {
  const long = '𝐀'.repeat(1_024);
  assert.equal(mask(`${long} a`, [long]), 'XXXX a');
  assert.equal(refusal('word-mask', { data: 'a', words: [`${long}a`] }), 'words[0]: has more than 1024 characters');
});

test('combining marks: part of their word, composed or not, and left as they were elsewhere', () => {
  const decomposed = 'e\u0301te\u0301';
  assert.equal(mask(`${decomposed} été Été éte e`, ['ÉTÉ']), 'XXXX XXXX XXXX éte e');
  assert.equal(mask('été e\u0301te\u0301', [decomposed]), 'XXXX XXXX');
  assert.equal(mask('e\u0301', ['e']), 'e\u0301');
  assert.equal(mask(`${decomposed} x`, ['x']), `${decomposed} XXXX`);
});

test('apostrophes and hyphens end a word; what is listed with one is found as the sequence that it is', () => {
  assert.equal(mask("l'été d’hiver well-known", ['l', 'hiver', 'known']), "XXXX'été d’XXXX well-XXXX");
  assert.equal(mask("don't re-do a b", ["don't", 're-do', 'a b', '', ' ']), 'XXXX XXXX XXXX');
  assert.equal(mask("O'Brien, o’brien, O'Briens, xO'Brien, Brien", ["O'Brien"]), "XXXX, XXXX, O'Briens, xO'Brien, Brien");
  assert.equal(mask('e-mail E‑MAIL e-mails e-mail-list', ['e-mail']), 'XXXX XXXX e-mails XXXX-list');
});

test('listed words with spaces and signs match at word borders, except where they begin or end with a sign', () => {
  assert.equal(mask('New York, new  york\nNew\u00a0York NewYork New Yorker', ['New York']), 'XXXX, XXXX\nXXXX NewYork New Yorker');
  assert.equal(mask('C++ and c++17, C+++, C', ['C++']), 'XXXX and XXXX17, XXXX+, C');
  assert.equal(mask('123-45 1123-45 123-456 123-45-6', ['123-45']), 'XXXX 1123-45 123-456 XXXX-6');
  assert.equal(mask('#tag x#tag #tags', ['#tag']), 'XXXX xXXXX #tags');
  assert.equal(mask('a@b.example', ['a@b.example', ' a ']), 'XXXX');
  assert.equal(mask('1 😀 2', ['😀']), '1 XXXX 2');
});

test('of overlapping entries the first wins, of entries with the same start the longest, in any list order', () => {
  for (const words of [
    ['New York', 'York City', 'New York City', 'New'],
    ['New', 'New York City', 'York City', 'New York'],
  ]) {
    assert.equal(mask('New York City', words), 'XXXX');
    assert.equal(mask('New York State', words), 'XXXX State');
    assert.equal(mask('Old York City, New', words), 'Old XXXX, XXXX');
  }
});

test('of entries that overlap no word is left', () => {
  assert.equal(mask('New York Hotel, York Hotel, New York', ['New York', 'York Hotel']), 'XXXX, XXXX, XXXX');
  assert.equal(mask('a b c d', ['b c', 'a b c x', 'c d']), 'a XXXX');
  assert.equal(mask('a b c d e f, g', ['a b', 'b c d', 'd e', 'e f']), 'XXXX XXXX, g');
  assert.equal(mask('a b x c d', ['a b', 'b x c d', 'c']), 'XXXX XXXX');
  assert.equal(mask('ha ha ha ha ha', ['ha ha']), 'XXXX XXXX');
  assert.equal(mask('++ + a', ['++', '+ +']), 'XXXX + a');
  const tokens = (result('word-tokenize', { data: 'a b c|a b|A  B C|b c', words: ['a b', 'b c'] }) as string).split('|');
  assert.equal(tokens[0], tokens[2]);
  assert.equal(new Set(tokens).size, 3);
  for (const token of tokens) assert.match(token, TOKEN);
});

test('a soft hyphen is no part of a word, and wide letters are those of ASCII', () => {
  assert.equal(mask('M\u00fcl\u00adler, Mu\u0308l\u00adler \u00ad Mül\u00ad', ['Müller']), 'XXXX, XXXX \u00ad Mül\u00ad');
  assert.equal(mask('Müller', ['Mül\u00adler']), 'XXXX');
  assert.equal(mask('ＡＤＡは、Ｃ＋＋　Ａｄａ', ['Ada', 'c++']), 'ＡＤＡは、XXXX　XXXX');
});

test('right to left, other scripts, emoji, underscores and digits', () => {
  assert.equal(mask('שלום עולם, مرحبا بالعالم', ['שלום', 'بالعالم']), 'XXXX עולם, مرحبا XXXX');
  assert.equal(mask('می‌خواهم می', ['می']), 'می‌خواهم XXXX');
  assert.equal(mask('नमस्ते दुनिया', ['नमस्ते']), 'XXXX दुनिया');
  assert.equal(mask('😀secret😀 👩‍💻a👩‍💻', ['secret', 'a']), '😀XXXX😀 👩‍💻XXXX👩‍💻');
  assert.equal(mask('secret\u200d😀 \u200csecret', ['secret']), 'XXXX\u200d😀 \u200cXXXX');
  assert.equal(mask('snake_case snake case_ _case ‿a', ['snake', 'case', 'a']), 'snake_case XXXX case_ _case ‿a');
  assert.equal(mask('room 101, 1011, Ⅳ x²', ['101', 'ⅳ', 'x²']), 'room XXXX, 1011, XXXX XXXX');
  assert.equal(mask('𝐀𝐁 ΟΔΟΣ', ['𝐀𝐁', 'οδος']), 'XXXX XXXX');
});

test('words that contain each other: only the whole one counts', () => {
  assert.equal(mask('a ab abc bc', ['ab', 'abc', 'a']), 'XXXX XXXX XXXX bc');
});

test('a token is 16 bytes in hex, the same for all spellings of a word in a request, new in the next', () => {
  const tokens = (data: string) => (result('word-tokenize', { data, words: ['ada', 'Été'] }) as string).split(' ');
  const [first, met, second, third, fourth] = tokens('Ada met ADA été e\u0301te\u0301') as [string, string, string, string, string];
  assert.match(first, TOKEN);
  assert.deepEqual([met, second, fourth], ['met', first, third]);
  assert.match(third, TOKEN);
  assert.notEqual(third, first);
  assert.notEqual(tokens('ada')[0], first);
});

const sentence = fc
  .array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('secret', 'SeCret', ' ', '-', "'", '😀', 'e\u0301')), { maxLength: 12 })
  .map((parts) => parts.join(''));

test('masking never changes other text: what is around the hits stays, byte for byte', () => {
  fc.assert(
    fc.property(sentence, (data) => {
      const pieces = data.split(
        /((?:[\p{Alphabetic}\p{L}\p{M}\p{N}\p{Pc}]|(?<=[\p{L}\p{M}\p{N}\p{Pc}\p{Join_Control}])\p{Join_Control}(?=\p{Join_Control}*[\p{L}\p{M}\p{N}\p{Pc}]))+)/u,
      );
      const expected = pieces.map((piece) => (/^secret$/i.test(piece) ? 'XXXX' : piece)).join('');
      assert.equal(mask(data, ['secret']), expected);
      assert.equal(mask(data, []), data);
    }),
    { numRuns: 1_000 },
  );
});

test('any words: one token for each in a request, and a bijection between them', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'B', 'c', 'A', 'b', 'x')), (words) => {
      const found = (result('word-tokenize', { data: words.join(' '), words: ['a', 'b', 'c'] }) as string).split(' ');
      const tokens = new Map<string, string>();
      for (const [index, word] of words.entries()) {
        const token = found[index] as string;
        if (word === 'x') assert.equal(token, 'x');
        else assert.equal(tokens.get(word.toLowerCase()) ?? token, token);
        if (word !== 'x') tokens.set(word.toLowerCase(), token);
      }
      assert.equal(new Set(tokens.values()).size, tokens.size);
    }),
  );
});

test('ten thousand words against a long text are a matter of milliseconds', () => {
  const words = Array.from({ length: 10_000 }, (_, index) => `w${index}`);
  const data = words.slice(0, 5_000).join(' ');
  const startedAt = performance.now();
  assert.equal(mask(data, words), Array.from({ length: 5_000 }, () => 'XXXX').join(' '));
  assert.ok(performance.now() - startedAt < 500, `${performance.now() - startedAt} ms`);
});

/** Entries of one or more words, signs between and around them; the same alphabet makes them overlap. */
const entry = fc.array(fc.constantFrom('a', 'B', 'ab', "'", '-', ' ', '+'), { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));

test('no listed entry is left at borders of words, whatever is listed', () => {
  const plain = (text: string) => text.toLowerCase().trim().replaceAll(/\s+/g, ' ');
  const escaped = (text: string) => plain(text).replaceAll(/[+]/g, '\\+').replaceAll(' ', '\\s+');
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 8 }), fc.array(entry, { maxLength: 6 }), (parts, words) => {
      // Between replacements nothing is a border any more that was none: a mark of its own stands for them.
      const left = mask(parts.join(' '), words).toLowerCase().split('xxxx');
      for (const word of words.filter((each) => plain(each) !== '')) {
        const begins = /^\w/.test(plain(word)) ? '(?<!\\w)' : '';
        const ends = /\w$/.test(plain(word)) ? '(?!\\w)' : '';
        const pattern = new RegExp(`${begins}${escaped(word)}${ends}`);
        for (const text of left) assert.ok(!pattern.test(text), `${JSON.stringify(word)} in ${JSON.stringify(text)}`);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('exactly the words of occurrences are masked, also where these overlap', () => {
  const word = fc.constantFrom('a', 'b', 'c');
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), fc.array(fc.array(word, { minLength: 1, maxLength: 4 }), { maxLength: 5 }), (data, entries) => {
      const isMasked = data.map(() => false);
      for (const entry of entries)
        for (let at = 0; at + entry.length <= data.length; at++)
          if (entry.every((each, index) => data[at + index] === each)) isMasked.fill(true, at, at + entry.length);
      const left = (
        mask(
          data.join(' '),
          entries.map((entry) => entry.join(' ')),
        ) as string
      )
        .replaceAll('XXXX', ' ')
        .split(' ')
        .filter(Boolean);
      assert.deepEqual(
        left,
        data.filter((_, at) => !isMasked[at]),
      );
    }),
    { numRuns: 2_000 },
  );
});

test('one token for an entry of several words, however it is written', () => {
  const [first, second, third] = (result('word-tokenize', { data: "O'Brien|o’brien|Brien", words: ["O'BRIEN", 'brien'] }) as string).split('|');
  assert.match(first as string, TOKEN);
  assert.equal(second, first);
  assert.match(third as string, TOKEN);
  assert.notEqual(third, first);
});

test('long entries that nearly match everywhere cost no more than the text is long', () => {
  const startedAt = performance.now();
  const data = '+'.repeat(30_000);
  // As long as an entry may be.
  assert.equal(mask(data, [`${'+'.repeat(1_023)}x`, `${'+ '.repeat(511)}y`]), data);
  const nested = Array.from({ length: 300 }, (_, index) => '+'.repeat(index + 2));
  assert.equal(mask(data, nested), 'XXXX'.repeat(Math.ceil(30_000 / 301)));
  assert.ok(performance.now() - startedAt < 2_000, `${performance.now() - startedAt} ms`);
});

test('what is refused: words of other types, missing and unknown members, lone surrogates', () => {
  for (const method of ['word-mask', 'word-tokenize'] as const) {
    assert.equal(refusal(method, { data: 'a', words: 'a' }), 'words: must be an array of strings');
    assert.equal(refusal(method, { data: 'a', words: null }), 'words: must be an array of strings');
    assert.equal(refusal(method, { data: 'a', words: ['a', 1] }), 'words[1]: must be a string');
    assert.equal(refusal(method, { data: 'a', words: [['a']] }), 'words[0]: must be a string');
    assert.equal(refusal(method, { words: [] }), 'data: is missing');
    assert.equal(refusal(method, { data: 'a' }), 'words: is missing');
    assert.equal(refusal(method, { data: 'a', words: [], more: 1 }), '"more": unknown member');
    assert.equal(refusal(method, '{"data":"\\ud800","words":[]}'), 'data: is not valid Unicode');
    for (const second of ['a', 'b']) assert.equal(refusal(method, `{"data":"a","words":[],"data":"${second}"}`), '/data: stands twice in its object');
  }
});

test.run();
