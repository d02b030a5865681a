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

test('combining marks: part of their word, composed or not, and left as they were elsewhere', () => {
  const decomposed = 'e\u0301te\u0301';
  assert.equal(mask(`${decomposed} été Été éte e`, ['ÉTÉ']), 'XXXX XXXX XXXX éte e');
  assert.equal(mask('été e\u0301te\u0301', [decomposed]), 'XXXX XXXX');
  assert.equal(mask('e\u0301', ['e']), 'e\u0301');
  assert.equal(mask(`${decomposed} x`, ['x']), `${decomposed} XXXX`);
});

test('apostrophes and hyphens end a word; a listed word that holds one, or a space, matches nothing', () => {
  assert.equal(mask("l'été d’hiver well-known", ['l', 'hiver', 'known']), "XXXX'été d’XXXX well-XXXX");
  assert.equal(mask("don't re-do a b", ["don't", 're-do', 'a b', '', ' ']), "don't re-do a b");
});

test('right to left, other scripts, emoji, underscores and digits', () => {
  assert.equal(mask('שלום עולם, مرحبا بالعالم', ['שלום', 'بالعالم']), 'XXXX עולם, مرحبا XXXX');
  assert.equal(mask('می‌خواهم می', ['می']), 'می‌خواهم XXXX');
  assert.equal(mask('नमस्ते दुनिया', ['नमस्ते']), 'XXXX दुनिया');
  assert.equal(mask('😀secret😀 👩‍💻a👩‍💻', ['secret', '😀', 'a']), '😀XXXX😀 👩‍💻XXXX👩‍💻');
  assert.equal(mask('secret\u200d😀 \u200csecret', ['secret']), 'XXXX\u200d😀 \u200cXXXX');
  assert.equal(mask('snake_case snake case_ _case ‿a', ['snake', 'case', 'a']), 'snake_case XXXX case_ _case ‿a');
  assert.equal(mask('room 101, 1011, Ⅳ x²', ['101', 'ⅳ', 'x²']), 'room XXXX, 1011, XXXX XXXX');
  assert.equal(mask('𝐀𝐁 ΟΔΟΣ', ['𝐀𝐁', 'οδος']), 'XXXX XXXX');
});

test('words that contain each other: only the whole one counts', () => {
  assert.equal(mask('a ab abc bc', ['ab', 'abc', 'a']), 'XXXX XXXX XXXX bc');
});

test('a token is 16 bytes in hex, the same for a word in a request however it is written, another in the next', () => {
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
  }
});

test.run();
