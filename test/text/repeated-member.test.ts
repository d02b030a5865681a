// Members that stand twice in one object: found wherever they stand and however they are written, and nothing else is taken for one.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'uvu';
import { findRepeatedMember, repeatedMember } from '../../text/repeated-member.ts';

/** Both readers must find the same. */
function found(json: string): string | undefined {
  const bytes = new TextEncoder().encode(json);
  const path = repeatedMember(bytes, JSON.parse(json));
  assert.equal(findRepeatedMember(bytes), path, json);
  return path;
}

test('the second of two members is told with its path', () => {
  assert.equal(found('{"a":1,"a":1}'), '/a');
  assert.equal(found('{"a":1,"b":[0,[],{"c":2,"d":{},"c":3}]}'), '/b/2/c');
  assert.equal(found('[{"a":1},{"a":1,"a":{"b":1}}]'), '/1/a');
  assert.equal(found('{"":1,"":2}'), '/');
  assert.equal(found('{"a/b~":{"x":1,"x":2}}'), '/a~1b~0/x');
  assert.equal(found(' { "a" : 1 , "a"\n\t: 2 } '), '/a');
  // The member that is read last has the value that does not repeat anything.
  assert.equal(found('{"a":{"x":1,"x":2},"a":{}}'), '/a/x');
});

test('names are compared as what they mean', () => {
  assert.equal(found('{"a":1,"\\u0061":2}'), '/a');
  assert.equal(found('{"\\u00E9":1,"\\u00e9":2}'), '/é');
  assert.equal(found('{"é":1,"\\u00e9":2}'), '/é');
  assert.equal(found('{"\\"":1,"\\u0022":2}'), '/"');
  assert.equal(found('{"\\\\":1,"\\u005c":2}'), '/\\');
  assert.equal(found('{"\\ud83d\\ude00":1,"😀":2}'), '/😀');
  assert.equal(found('{"a":1,"A":2,"a ":3,"á":4,"a\\u0301":5}'), undefined);
});

test('names of one escaped character, which V8 takes for a backslash once it knows objects with one', () => {
  JSON.parse('{"a":1,"\\\\":1}');
  assert.equal(found('{"a":1,"\\u0061":2}'), '/a');
  assert.equal(found('{"a":1,"\\u0062":2}'), undefined);
});

test('names that objects of the language have are like others', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', '0', '-1']) {
    assert.equal(found(`{"${name}":1}`), undefined, name);
    assert.equal(found(`{"${name}":{"a":1}}`), undefined, name);
    assert.equal(found(`{"${name}":{"a":1,"a":2}}`), `/${name}/a`);
    assert.equal(found(`{"${name}":{},"${name}":{}}`), `/${name}`);
  }
});

test('what only looks like a member does not count', () => {
  for (const json of ['null', '1', '"a:"', '[]', '{}', '["a","a"]', '{"a":":","b":"\\":"}', '{"a":"\\\\","b":"x\\\\\\":"}', '{"a":{"a":{"a":1}},"b":{"a":1}}'])
    assert.equal(found(json), undefined, json);
  for (const length of [126, 127, 128, 129, 130, 131, 5_000])
    for (const end of ['', '\\\\', '\\"', '\\\\\\"', '":"'.replaceAll('"', '\\"')]) {
      const long = `${'x'.repeat(length)}${end}`;
      assert.equal(found(`{"a":"${long}","b":1,"${long}":2}`), undefined);
      assert.equal(found(`{"a":"${long}","${long}":1,"a":2}`), '/a');
      assert.equal(found(`{"${long}":1,"${long}":2}`)?.slice(0, 100), `/${'x'.repeat(99)}`);
    }
});

test('any depth and any length: no stack overflows, and the path is shortened', () => {
  const deep = 50_000;
  assert.equal(found(`${'['.repeat(deep)}${']'.repeat(deep)}`), undefined);
  const path = found(`${'{"a":'.repeat(deep)}{"b":1,"b":2}${'}'.repeat(deep)}`);
  assert.equal(path, `${'/a'.repeat(128)}...`);
  assert.equal(found(`{"${'😀'.repeat(300)}":1,"${'😀'.repeat(300)}":2}`)?.isWellFormed(), true);
  assert.equal(found('{"\\ud800":1,"\\ud800":2}'), '/\ufffd');
});

/** A JSON text with objects whose names are given one by one, so that they may repeat. */
const name = fc.constantFrom('a', 'b', 'ab', '__proto__', '"', '\\', ':', '}', 'é', '\u0000');
const written = (text: string) => [...text].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const spelled = fc.tuple(name, fc.boolean()).map(([text, escaped]) => ({ text, json: escaped ? `"${written(text)}"` : JSON.stringify(text) }));
interface Sample {
  readonly json: string;
  readonly repeats: boolean;
}
const { sample } = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(spelled, fc.constantFrom({ json: '1' }, { json: 'null' })).map(({ json }) => ({ json, repeats: false })),
    fc.array(tie('sample'), { maxLength: 3 }).map((all) => ({ json: `[${all.map(({ json }) => json)}]`, repeats: all.some(({ repeats }) => repeats) })),
    fc.array(fc.tuple(spelled, tie('sample')), { maxLength: 3 }).map((all) => ({
      json: `{${all.map(([{ json }, value]) => `${json} :${value.json}`)}}`,
      repeats: new Set(all.map(([{ text }]) => text)).size < all.length || all.some(([, { repeats }]) => repeats),
    })),
  ),
}));

test('random texts', () => {
  fc.assert(
    fc.property(sample, ({ json, repeats }) => assert.equal(found(json) !== undefined, repeats, json)),
    { numRuns: 2_000 },
  );
});

test.run();
