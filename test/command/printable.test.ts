// What others wrote is shown as text: control characters, escape sequences and characters that turn or hide text become visible.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { createOutput } from '../../command/output.ts';
import { printable, printableJson, width } from '../../command/printable.ts';

/** Each would do something to a terminal, or make a text look like another one. */
const HOSTILE: readonly string[] = [
  '\u001b[2J\u001b]0;title\u0007',
  '\u009b31m',
  'a\rb\nc\td\be',
  'invoice\u202efdp.exe',
  '\u2066isolated\u2069',
  'zero\u200bwidth\u200d\ufeff',
  'line\u2028paragraph\u2029',
  'tags\u{e0041}\u{e007f}',
  'half\ud800',
  '\u0000\u007f\u0085',
  '\u061c\u200e\u200f\u00ad',
];
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

const written = (isJson: boolean, use: (output: ReturnType<typeof createOutput>) => void): string => {
  let text = '';
  const write = (part: string) => {
    text += part;
  };
  use(createOutput({ write }, isJson));
  return text;
};

test('hostile text is escaped, and ordinary text of any language stays', () => {
  for (const text of HOSTILE) assert.doesNotMatch(printable(text), UNSAFE, JSON.stringify(text));
  assert.equal(printable('invoice\u202efdp\u001b[0m'), 'invoice\\u{202e}fdp\\u{1b}[0m');
  for (const text of ['Grüße', '日本語', 'שלום', 'e\u0301', '😀', 'a b']) assert.equal(printable(text), text);
});

test('tables, records, lines and messages escape names, values and lists', () => {
  for (const text of HOSTILE) {
    const outputs = [
      written(false, (out) => out.table([{ id: text, tags: [text], more: { text } }], ['id', 'tags', 'more'])),
      written(false, (out) => out.record({ id: text, tags: [text], more: { text } })),
      written(false, (out) => out.line(text)),
      written(false, (out) => out.done(text)),
    ];
    for (const output of outputs) {
      assert.doesNotMatch(output.replaceAll('\n', ''), UNSAFE, JSON.stringify(text));
      assert.ok(output.split('\n').length <= 4, 'no text begins a line of its own');
    }
  }
});

test('JSON means the same and is safe on a terminal', () => {
  const value = { [HOSTILE[3] as string]: HOSTILE, nested: [{ a: HOSTILE.join('') }] };
  const text = printableJson(value);
  assert.doesNotMatch(text.replaceAll('\n', ''), UNSAFE);
  assert.deepEqual(JSON.parse(text), value);
  assert.deepEqual(JSON.parse(written(true, (out) => out.table([value], ['nested']))), [value]);
});

test('columns stand below each other, whatever the cells hold', () => {
  assert.deepEqual(['abc', '日本', 'e\u0301', '😀'].map(width), [3, 4, 1, 2]);
  const lines = written(false, (out) =>
    out.table(
      [
        { name: '日本語', id: 1 },
        { name: 'e\u0301', id: 2 },
        { name: '', id: 3 },
      ],
      ['name', 'id'],
    ),
  ).split('\n');
  assert.deepEqual(lines, ['NAME    ID', '日本語  1', 'e\u0301       2', '        3', '']);
});

test.run();
