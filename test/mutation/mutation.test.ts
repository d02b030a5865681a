// The mutation run: which changes it makes of a source, that samples repeat, and that a mutant counts as noticed only where a test fails.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { temporaryFolder } from '../server.ts';
import { readAccepted, reasonOf } from './accepted.ts';
import type { Checkout } from './checkout.ts';
import { describeMutant, type Mutant } from './mutant.ts';
import { mutationsOf } from './mutations.ts';
import { mutantsOf, sampleOf } from './sample.ts';
import { treeOf } from './source.ts';
import { sourcesOf, TEST_MAP, testsOf } from './test-map.ts';
import { lookAt, trial } from './trial.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const changed = (source: string): string[] =>
  mutationsOf(source).map(({ kind, start, end, replacement }) => `${kind}: ${source.slice(0, start)}${replacement}${source.slice(end)}`);

test('each kind of place, with types around it, is broken in its own way', () => {
  assert.deepEqual(changed('if (a as boolean) b();'), ['condition: if (!(a) as boolean) b();', 'statement: if (a as boolean) {}']);
  assert.deepEqual(changed('const x: number = a <= b ? c : d;'), [
    'condition: const x: number = !(a <= b) ? c : d;',
    'boundary: const x: number = a < b ? c : d;',
  ]);
  assert.deepEqual(changed('if (a === b && !c) d++;'), [
    'condition: if (!(a === b && !c)) d++;',
    'condition: if (a !== b && !c) d++;',
    'condition: if (a === b || !c) d++;',
    'condition: if (a === b && c) d++;',
    'statement: if (a === b && !c) {}',
  ]);
  assert.deepEqual(changed('function f(): X | undefined { return g as X; }'), ['return: function f(): X | undefined { return undefined as X; }']);
  assert.deepEqual(changed("await tx.audit(event, { ok: true, 'a b': 1n });"), [
    'audit: {}',
    "literal: await tx.audit(event, { ok: false, 'a b': 1n });",
    "literal: await tx.audit(event, { ok: true, 'a b': 2n });",
  ]);
  assert.deepEqual(changed("import a from 'b'; import type { C } from 'd';"), []);
  assert.deepEqual(changed("throw new Error('words for people', x ?? '');"), [
    "condition: throw new Error('words for people', x);",
    "literal: throw new Error('words for people', x ?? 'mutated');",
  ]);
  assert.deepEqual(changed("const x = 'UPDATE t SET a = $1 WHERE b = $2 AND c < $3';"), [
    "sql: const x = 'UPDATE t SET a = $1 WHERE b <> $2 AND c < $3';",
    "sql: const x = 'UPDATE t SET a = $1 WHERE b = $2 OR c < $3';",
    "sql: const x = 'UPDATE t SET a = $1 WHERE b = $2 AND c <= $3';",
  ]);
  assert.deepEqual(changed('const f = (a: number) => a - 1;'), [
    'return: const f = (a: number) => undefined;',
    'operator: const f = (a: number) => a + 1;',
    'literal: const f = (a: number) => a - 2;',
  ]);
});

test('every mutant of every source parses, and every source has tests', () => {
  const files = sourcesOf(ROOT, []);
  assert.ok(files.length > 150 && TEST_MAP.every(([sources]) => sourcesOf(ROOT, [sources]).length > 0));
  for (const file of files) assert.ok(testsOf(ROOT, file).length > 0, file);
  for (const { source, start, end, replacement, file } of sampleOf(mutantsOf(ROOT, files), 300, 7))
    assert.doesNotThrow(() => treeOf(source.slice(0, start) + replacement + source.slice(end)), `${file} ${start}: ${replacement}`);
  assert.deepEqual(sourcesOf(ROOT, ['kernel/sto']), []);
});

test('a sample is the same for a seed, another for another, and no element comes twice', () => {
  const all = Array.from({ length: 1000 }, (_, index) => index);
  assert.deepEqual(sampleOf(all, 50, 1), sampleOf(all, 50, 1));
  assert.notDeepEqual(sampleOf(all, 50, 1), sampleOf(all, 50, 2));
  assert.equal(new Set(sampleOf(all, 400, 3)).size, 400);
  assert.deepEqual(sampleOf([1, 2], 5, 1), [1, 2]);
});

test('the list of mutants left on purpose names changes, not lines, and only in existing sources', () => {
  const source = 'let a;\nif (a < 1) b();\n';
  const [mutant] = mutationsOf(source).filter(({ kind }) => kind === 'boundary') as [Mutant];
  const whole = { ...mutant, file: 'kernel/x.ts', line: 2, source };
  assert.equal(describeMutant(whole), '`if (a < 1) b();` -> `if (a <= 1) b();`');
  const accepted = readAccepted('- `kernel/x.ts`: `if (a < 1) b();` -> `if (a <= 1) b();`: it makes no difference\n');
  assert.equal(reasonOf(whole, accepted), 'it makes no difference');
  assert.equal(reasonOf({ ...whole, file: 'kernel/y.ts' }, accepted), undefined);
  const document = readFileSync(join(ROOT, 'test/mutants.md'), 'utf8');
  const known = new Set(mutantsOf(ROOT, sourcesOf(ROOT, [])).map((each) => `${each.file} ${describeMutant(each)}`));
  for (const entry of readAccepted(document).keys()) assert.ok(known.has(entry), `no mutant is ${entry}`);
});

function smallCheckout(): { root: string; checkout: Checkout } {
  const root = temporaryFolder();
  mkdirSync(join(root, 'test'));
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  return { root, checkout: { root, write: (file, text) => writeFileSync(join(root, file), text), end: () => rmSync(root, { recursive: true }) } };
}

test('noticed is what a test fails or hangs at; a file that fails with nothing broken holds nothing', async () => {
  const { root, checkout } = smallCheckout();
  const source = 'export const least = (a: number, b: number): number => (a < b ? a : b);\nexport const never = () => 1;\n';
  checkout.write('least.ts', source);
  const suite = (line: string) => `import { test } from 'uvu';\nimport { least } from '../least.ts';\ntest('least', () => { ${line} });\ntest.run();\n`;
  checkout.write('test/least.test.ts', suite("if (least(1, 2) !== 1) throw new Error('no');"));
  checkout.write('test/broken.test.ts', suite("throw new Error('always');"));
  const mutants = mutationsOf(source).map((mutation) => ({ ...mutation, file: 'least.ts', line: 1, source }));
  const known = [await lookAt(checkout, 'test/least.test.ts', mutants)];
  const outcomes = [];
  for (const mutant of mutants) {
    const { outcome, by } = await trial(checkout, mutant, known);
    outcomes.push(`${mutant.kind}: ${outcome} ${by ?? ''}`.trim());
  }
  // Of equal numbers either is the least: the boundary is a mutant that no test can notice.
  assert.deepEqual(outcomes, [
    'return: killed test/least.test.ts',
    'condition: killed test/least.test.ts',
    'boundary: survived',
    'return: unreached',
    'literal: unreached',
  ]);
  assert.equal(readFileSync(join(root, 'least.ts'), 'utf8'), source);
  await assert.rejects(lookAt(checkout, 'test/broken.test.ts', mutants), /fails with nothing broken/);
  checkout.end();
});

test('a place counts as reached where a thread of the test runs it', async () => {
  const { checkout } = smallCheckout();
  const source = 'export const twice = (a: number): number => (a > 0 ? a * 2 : a - 7);\n';
  checkout.write('twice.ts', source);
  checkout.write('thread.ts', "import { parentPort } from 'node:worker_threads';\nimport { twice } from './twice.ts';\nparentPort?.postMessage(twice(2));\n");
  checkout.write(
    'test/thread.test.ts',
    `import { Worker } from 'node:worker_threads';\nimport { once } from 'node:events';\nimport { test } from 'uvu';
test('thread', async () => { const worker = new Worker(new URL('../thread.ts', import.meta.url)); await once(worker, 'message'); await worker.terminate(); });\ntest.run();\n`,
  );
  const mutants = mutationsOf(source).map((mutation) => ({ ...mutation, file: 'twice.ts', line: 1, source }));
  const { reaches } = await lookAt(checkout, 'test/thread.test.ts', mutants);
  assert.deepEqual(
    mutants.map((mutant) => [source.slice(mutant.start, mutant.end), reaches.has(mutant)]),
    [
      ['a > 0 ? a * 2 : a - 7', true],
      ['a > 0', true],
      ['>', true],
      ['0', true],
      ['*', true],
      ['2', true],
      ['-', false],
      ['7', false],
    ],
  );
  checkout.end();
});

test.run();
