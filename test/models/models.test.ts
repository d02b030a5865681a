// The test models: their weights are small and know what they were never shown, and every file is built as it was when it was tried out.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { test } from 'uvu';
import { modelFiles, TEST_MODELS } from './build.ts';
import { END, LANGUAGE_WORDS, lessons, wordsOfBoth } from './phrasebook.ts';
import { Lexicon, PAIR_LEXICON, parametersOf, translate } from './train/transformer.ts';
import { readWeights, SIZES, shapesOf } from './weights.ts';

const here = (name: string) => new URL(name, import.meta.url);
const PAIRS = [
  ['en', 'fr'],
  ['fr', 'en'],
] as const;

test('all weights have less than 200 kB together', () => {
  const bytes = [...PAIRS.map((pair) => pair.join('-')), 'both'].reduce((sum, name) => sum + statSync(here(`${name}.weights`)).size, 0);
  assert.ok(bytes < 200_000, `${bytes} bytes`);
});

test('the models translate sentences that they were never shown', () => {
  for (const [from, to] of PAIRS) {
    const parameters = parametersOf(readWeights(here(`${from}-${to}.weights`)));
    const wrong = lessons(from).heldOut.flatMap(([source, target]) => {
      const said = translate(parameters, source, PAIR_LEXICON);
      return said === target ? [] : [`${source}: ${said} instead of ${target}`];
    });
    assert.deepEqual(wrong, []);
  }
});

test('the model for both directions heeds the words that tell languages', () => {
  const lexicon = new Lexicon(wordsOfBoth(), END);
  const parameters = parametersOf(readWeights(here('both.weights'), shapesOf({ ...SIZES, words: lexicon.words.length })));
  for (const [from, source] of LANGUAGE_WORDS.entries())
    for (const [to, target] of LANGUAGE_WORDS.entries()) {
      const wrong = lessons('en').heldOut.filter((pair) => translate(parameters, `${source} ${pair[from]}`, lexicon, target) !== pair[to]);
      assert.deepEqual(wrong, [], `${source} to ${target}`);
    }
});

test('the files are built byte for byte as test/models/digests.json says', () => {
  const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  const built = Object.fromEntries(TEST_MODELS.flatMap((id) => [...modelFiles(id)].map(([path, bytes]) => [`${id}/${path}`, digestOf(bytes)])));
  assert.deepEqual(built, JSON.parse(readFileSync(here('digests.json'), 'utf8')));
});

test.run();
