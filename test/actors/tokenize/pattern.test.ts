// The method word-pattern-mask: matches, empty ones among them, literal replacements, and the limits of a pattern.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'uvu';
import { refusal, result } from './ask.ts';

const mask = (data: string, pattern: string, replace: string) => result('word-pattern-mask', { data, pattern, replace });

test('every match is replaced', () => {
  assert.equal(mask('call 0123-456 or 0987-654', '\\d{4}-\\d{3}', '####'), 'call #### or ####');
  assert.equal(mask('Confidential CONFIDENTIAL', '(?i)confidential', 'x'), 'x x');
  assert.equal(mask('a@b.org, c@d.org', '[\\w.]+@[\\w.]+', ''), ', ');
  assert.equal(mask('no hit', 'z', 'x'), 'no hit');
});

test('the replacement is inserted as it is', () => {
  for (const replace of ['$1', '$0', '$\u007b1}', '$$', '\\1', '$<a>', '$&', "$'", '\\'])
    assert.equal(mask('a-b', '(?P<a>[ab])', replace), `${replace}-${replace}`);
});

test('characters are code points, and an empty match is between them, never right behind another', () => {
  assert.equal(mask('a😀é', '.', 'x'), 'xxx');
  assert.equal(mask('a😀b', '', '-'), '-a-😀-b-');
  assert.equal(mask('abcx', 'x*', '-'), '-a-b-c-');
  assert.equal(mask('😀x', 'x*', '-'), '-😀-');
  assert.equal(mask('שלום abc', '\\pL+', 'w'), 'w w');
  assert.equal(mask('', '^', 'x'), 'x');
});

test('the short classes know ASCII only, as docs/anonymization.md says, and those of Unicode know all', () => {
  assert.equal(mask('José and Ana', '\\bJosé\\b|\\bAna\\b', 'x'), 'José and x');
  assert.equal(mask('é1 ٣', '\\w|\\d', 'x'), 'éx ٣');
  assert.equal(mask('José é1 ٣', '\\p{L}+|\\p{N}', 'x'), 'x xx x');
});

test('a literal pattern: as replaceAll does it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'b', '😀', ' ')),
      fc.constantFrom('a', 'ab', '😀', 'a😀'),
      fc.string({ unit: 'grapheme' }),
      (parts, pattern, replace) => {
        assert.equal(
          mask(parts.join(''), pattern, replace),
          parts.join('').replaceAll(pattern, () => replace),
        );
      },
    ),
  );
});

test('a pattern has at most 1024 characters, counted as code points', () => {
  assert.equal(mask('x', '😀'.repeat(1_024), 'y'), 'x');
  assert.match(refusal('word-pattern-mask', { data: 'x', pattern: '😀'.repeat(1_025), replace: '' }), /^pattern: has more than 1024 characters$/);
  assert.match(refusal('word-pattern-mask', { data: 'x', pattern: 'a'.repeat(1_025), replace: '' }), /^pattern: has more/);
  assert.match(refusal('word-pattern-mask', { data: 'x', pattern: 'a'.repeat(60_000), replace: '' }), /^pattern: has more/);
});

test('what is no pattern of a linear engine is refused in words', () => {
  for (const pattern of ['(', '[', '*', 'a{1001}', '(a{100}){100}', '(?=a)', '(?<!a)b', '(a)\\1', '\\p{Nonsense}', 'a**', '\\'])
    assert.match(refusal('word-pattern-mask', { data: 'x', pattern, replace: '' }), /^pattern: /, pattern);
  assert.equal(refusal('word-pattern-mask', { data: 'x', pattern: 'a', replace: 1 }), 'replace: must be a string');
  assert.equal(refusal('word-pattern-mask', { data: 'x', pattern: null, replace: '' }), 'pattern: must be a string');
  assert.equal(refusal('word-pattern-mask', { data: 'x', pattern: 'a' }), 'replace: is missing');
});

test('a result that would fill the memory is refused', () => {
  assert.match(
    refusal('word-pattern-mask', { data: 'a'.repeat(30_000), pattern: 'a', replace: 'b'.repeat(30_000) }),
    /^the result has more than 4194304 characters$/,
  );
});

test.run();
