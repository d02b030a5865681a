// Verdicts of conformance runners: exceptions need a reason that cites something, are reported when they are stale, and hide nothing else.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import { readExceptions } from './exceptions.ts';
import { judge } from './verdicts.ts';

const exceptions = [{ name: 'B-1', reason: 'KMIP 2.1 section 1' }];

test('a failure that is excepted is counted as such', () => {
  const summary = judge('PASS A-1\nFAIL B-1  step 1: other\nSKIP C-1  needs a token\n1 passed, 1 failed, 1 skipped\n', exceptions);
  assert.deepEqual(summary, { passed: 1, failed: 0, excepted: 1, skipped: 1, problems: [] });
});

test('a failure without an exception is a problem', () => {
  const summary = judge('FAIL A-1  step 1: missing\nFAIL B-1\n0 passed, 2 failed', exceptions);
  assert.deepEqual([summary.failed, summary.problems], [1, ['A-1: step 1: missing']]);
});

test('an exception that passes is a problem, by wording too', () => {
  for (const verdict of ['PASS', 'WORDING'])
    assert.deepEqual(judge(`${verdict} B-1\n1 passed, 0 failed`, exceptions).problems, ['B-1: passes, its exception is stale']);
});

test('a runner that broke off, ran nothing or counts otherwise is a problem', () => {
  for (const output of ['', 'PASS A-1\n', '0 passed, 0 failed', 'PASS A-1\n2 passed, 0 failed', 'PASS A-1\nError: no\n'])
    assert.equal(judge(output, []).problems.length, 1, output);
});

test('an exception needs a name of its own and a reason that cites', () => {
  const table = (text: string) => () => readExceptions(text);
  assert.throws(table('[[oasis]]\ncase = "A-1"'), /A-1 has no reason/);
  assert.throws(table('[[oasis]]\ncase = "A-1"\nreason = "it is hard"'), /A-1 has no reason/);
  assert.throws(table('[[vectors]]\nreason = "KMIP 2.1"'), /no scenario/);
  assert.throws(table('[[oasis]]\ncase = "A-1"\nreason = "KMIP"\n[[oasis]]\ncase = "A-1"\nreason = "KMIP"'), /twice/);
  assert.throws(table('[[others]]\ncase = "A-1"'), /others/);
});

test('the exceptions of this server are well-formed', () => {
  const { oasis, vectors } = readExceptions(readFileSync(new URL('exceptions.toml', import.meta.url), 'utf8'));
  assert.ok(oasis.length > 0 && vectors.length > 0);
});

test.run();
