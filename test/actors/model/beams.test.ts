// Beam search: it finds what trying every text finds if it is wide enough, and what a plain one finds if it is not, in batches of unequal lengths too.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { type BeamSettings, Beams } from '../../../actors/model/onnx/beams.ts';
import { Generator } from '../../../actors/model/onnx/generator.ts';
import { writeModel } from '../../models/build.ts';
import { numbersFrom, vocabulary } from '../../models/phrasebook.ts';
import { temporaryFolder } from '../../server.ts';
import { bestOfAll, END_TOKEN, madeUpNext, type Next, openNext, plainBeams } from './plain-beams.ts';

const folder = temporaryFolder();
test.before(() => {
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

const WEIGHTS = ['onnx/encoder_model.onnx', 'onnx/decoder_model_merged.onnx'];
const RULES = { ends: new Set([END_TOKEN]), first: undefined, never: [], noRepeat: 0, minTokens: 0, repetitionPenalty: 1, read: [] };
const WORDS = vocabulary();
/** Words at random, one to ten: no sentences, so that the model is not sure of anything. */
const next = numbersFrom(5);
const INPUTS = Array.from({ length: 12 }, (_, index) => Array.from({ length: 1 + ((index * 7) % 10) }, () => 2 + Math.floor((WORDS.length - 3) * next())));
const textOf = (ids: readonly number[]) => ids.map((id) => WORDS[id]).join(' ');

/** @returns the folder of a translation model whose files ask for beams */
function writeWithBeams({ count, lengthPenalty, earlyStopping }: BeamSettings): string {
  const own = writeModel('opus-mt-en-fr', join(folder, `beams-${count}`));
  const file = join(own, 'generation_config.json');
  const told = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...told, num_beams: count, length_penalty: lengthPenalty, early_stopping: earlyStopping }));
  return own;
}

const openWith = (own: string, beams = 0) => Generator.open({ folder: own, weights: WEIGHTS, threads: 1, beams });

/** Runs the search alone, from scores that are computed from the beginning for each hypothesis. */
async function searched(settings: BeamSettings, maxTokens: number, scoresOf: Next): Promise<Beams> {
  const beams = new Beams(settings, { start: -1, rules: RULES, maxTokens });
  for (let open: readonly (readonly number[])[] = [[]]; !beams.isDone; ) {
    const kept = beams.advance(await Promise.all(open.map(async (tokens) => Float32Array.from(await scoresOf(tokens)))));
    const before = open;
    open = kept.map((from, at) => [...(before[from] as readonly number[]), beams.last[at] as number]);
  }
  return beams;
}

test('beams that hold all texts find the most probable one, whatever length counts', async () => {
  for (const lengthPenalty of [0, 1, 2])
    for (let seed = 0; seed < 20; seed += 1) {
      const scores = madeUpNext(5, seed);
      const { written, isCut } = await searched({ count: 64, lengthPenalty, earlyStopping: 'never' }, 4, scores);
      assert.deepEqual([written, isCut], [await bestOfAll(scores, 4, lengthPenalty), false]);
    }
});

test('narrow beams find what a plain search finds, which ends when the settings say', async () => {
  for (const count of [2, 3, 4])
    for (const earlyStopping of [true, false, 'never'] as const)
      for (let seed = 0; seed < 20; seed += 1) {
        const [settings, scores] = [{ count, lengthPenalty: seed / 10, earlyStopping }, madeUpNext(6, seed)];
        assert.deepEqual((await searched(settings, 10, scores)).written, await plainBeams(scores, settings, 10));
      }
});

const SETTINGS: readonly BeamSettings[] = [
  { count: 3, lengthPenalty: 1, earlyStopping: false },
  { count: 4, lengthPenalty: 2, earlyStopping: true },
  { count: 2, lengthPenalty: 0.6, earlyStopping: 'never' },
];
const MAX_TOKENS = 12;

test('in batches of unequal lengths rows write what a plain search writes for each alone', async () => {
  let differing = 0;
  for (const settings of SETTINGS) {
    const own = writeWithBeams(settings);
    const [model, generator] = [await openNext(own), await openWith(own)];
    const wanted = await Promise.all(INPUTS.map((ids) => plainBeams(model([...ids, END_TOKEN]), settings, MAX_TOKENS)));
    const texts = wanted.map((tokens) => generator.tokenizer.decode(tokens.filter((token) => token !== END_TOKEN)).trim());
    const written = await generator.generate(INPUTS.map(textOf), { maxTokens: MAX_TOKENS }, undefined);
    assert.deepEqual(
      written,
      wanted.map((tokens, row) => ({ text: texts[row], isCut: tokens.at(-1) !== END_TOKEN })),
    );
    const greedy = await openWith(own, 1);
    const plain = await greedy.generate(INPUTS.map(textOf), { maxTokens: MAX_TOKENS }, undefined);
    differing += plain.filter(({ text }, row) => text !== texts[row]).length;
  }
  // Otherwise a search that takes the most probable token would pass too.
  assert.ok(differing >= 6, `${differing} texts differ from those of the greedy search`);
});

test('pieces are told when all hypotheses have them, and are the text together', async () => {
  const generator = await openWith(writeWithBeams(SETTINGS[0] as BeamSettings));
  for (const ids of INPUTS) {
    let told = '';
    const [written] = await generator.generate([textOf(ids)], { maxTokens: MAX_TOKENS }, undefined, (_, piece) => {
      told += piece;
    });
    assert.equal(told, written?.text);
  }
});

test('rows that come late, and rows whose clients leave, change nothing for the others', async () => {
  const generator = await openWith(writeWithBeams(SETTINGS[0] as BeamSettings));
  const alone: unknown[] = [];
  for (const ids of INPUTS) alone.push(...(await generator.generate([textOf(ids)], { maxTokens: MAX_TOKENS }, undefined)));
  const leaving = new AbortController();
  const gone = assert.rejects(generator.generate([textOf(INPUTS.flat().slice(0, 9))], { maxTokens: MAX_TOKENS }, leaving.signal));
  const together = INPUTS.map(async (ids, row) => {
    for (let turn = 0; turn < row; turn += 1) await new Promise(setImmediate);
    if (row === 5) leaving.abort();
    return generator.generate([textOf(ids)], { maxTokens: MAX_TOKENS }, undefined);
  });
  assert.deepEqual((await Promise.all(together)).flat(), alone);
  await gone;
});

test.run();
