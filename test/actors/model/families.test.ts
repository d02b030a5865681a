// Models of an encoder and a decoder as the hub has them: of 16 bits, told in words what to do (T5), or by a mark before the source (OPUS-MT, MADLAD).
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import type { ModelSpec } from '../../../actors/model/api.ts';
import { decodingIn } from '../../../actors/model/onnx/decoding.ts';
import { Generator } from '../../../actors/model/onnx/generator.ts';
import { targetedPhrasing, targetTokens } from '../../../actors/model/onnx/languages.ts';
import { plainPhrasing } from '../../../actors/model/onnx/phrasing.ts';
import { prefixesIn } from '../../../actors/model/onnx/prefixes.ts';
import { openTokenizer } from '../../../actors/model/onnx/tokenizer.ts';
import { weightsOf } from '../../../actors/model/weights.ts';
import type { Fault } from '../../../kernel/fault.ts';
import { writeModel } from '../../models/build.ts';
import { decoderFile, encoderFile } from '../../models/marian.ts';
import { lessons } from '../../models/phrasebook.ts';
import { readWeights, SIZES } from '../../models/weights.ts';
import { temporaryFolder } from '../../server.ts';

const folder = temporaryFolder();
test.before(() => {
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

const PAIRS = lessons('en').heldOut.slice(0, 12);
const shown = (text: string) => text.replaceAll("l' ", "l'");
const SOURCES = PAIRS.map(([source]) => source);
const WRITTEN = PAIRS.map(([, target]) => ({ text: shown(target), isCut: false }));
const SEQUENCE = ['encoder_model', 'decoder_model_merged'];
const specOf = (at: string, precision: ModelSpec['precision']) => ({ folder: at, task: 'translation', precision }) as ModelSpec;

const readJsonOf = (at: string, file: string) => JSON.parse(readFileSync(join(at, file), 'utf8'));
const changeJson = (at: string, file: string, change: object) => writeFileSync(join(at, file), JSON.stringify({ ...readJsonOf(at, file), ...change }));

test('an encoder and a decoder of 16 bits translate the same, in batches, with beams, for rows that join', async () => {
  const at = writeModel('opus-mt-en-fr', join(folder, 'half'));
  const weights = readWeights(new URL('../../models/en-fr.weights', import.meta.url));
  writeFileSync(join(at, 'onnx/encoder_model_fp16.onnx'), encoderFile(weights, false, SIZES, true));
  writeFileSync(join(at, 'onnx/decoder_model_merged_fp16.onnx'), decoderFile(weights, false, SIZES, true));
  const paths = await weightsOf(specOf(at, 'fp16'), false);
  assert.deepEqual(paths, ['onnx/encoder_model_fp16.onnx', 'onnx/decoder_model_merged_fp16.onnx']);
  for (const beams of [0, 3]) {
    const half = await Generator.open({ folder: at, weights: paths as string[], threads: 1, beams, task: 'translation' });
    for (const [index, source] of SOURCES.slice(0, 4).entries())
      assert.deepEqual(await half.generate([source], { maxTokens: 40 }, undefined), [WRITTEN[index]]);
    assert.deepEqual(await half.generate(SOURCES, { maxTokens: 40 }, undefined), WRITTEN);
    const joining = SOURCES.map(async (source, row) => {
      for (let turn = 0; turn < row; turn += 1) await new Promise(setImmediate);
      return half.generate([source], { maxTokens: 40 }, undefined);
    });
    assert.deepEqual((await Promise.all(joining)).flat(), WRITTEN);
  }
});

test('weights beside config.json, as the tool that makes them leaves them, and the names of older models', async () => {
  const at = join(folder, 'exported');
  const place = (...files: readonly string[]) => {
    rmSync(at, { recursive: true, force: true });
    for (const file of files) {
      mkdirSync(join(at, file, '..'), { recursive: true });
      writeFileSync(join(at, file), '');
    }
  };
  place('encoder_model.onnx', 'decoder_model_merged.onnx');
  assert.deepEqual(await weightsOf(specOf(at, 'auto'), false), ['encoder_model.onnx', 'decoder_model_merged.onnx']);
  place('onnx/model_q4f16.onnx');
  assert.deepEqual(await weightsOf(specOf(at, 'auto'), false), ['onnx/model_q4f16.onnx']);
  place('onnx/decoder_model_merged_quantized.onnx');
  assert.deepEqual(await weightsOf(specOf(at, 'auto'), false), ['onnx/decoder_model_merged_quantized.onnx']);
  // The decoder of a model whose encoder has other weights is no model.
  place('onnx/decoder_model_merged.onnx', 'onnx/encoder_model_quantized.onnx', 'onnx/decoder_model_merged_quantized.onnx');
  assert.deepEqual(await weightsOf(specOf(at, 'auto'), false), ['onnx/encoder_model_quantized.onnx', 'onnx/decoder_model_merged_quantized.onnx']);
});

const T5 = {
  summarization: { prefix: 'text: ', max_length: 21, num_beams: 4, min_length: 7 },
  translation_en_to_de: { prefix: 'translate English to German: ' },
};

test('settings for a task count for that task: the words before each window of a text, beams and lengths', async () => {
  const at = writeModel('answers', join(folder, 't5'));
  changeJson(at, 'config.json', { task_specific_params: T5 });
  const tokenizer = await openTokenizer(at);
  const decodingOf = (task: 'summary' | 'answer') => decodingIn(at, { isCausal: false, beams: 0, task }, tokenizer);
  const { beams, maxTokens, rules } = await decodingOf('summary');
  assert.deepEqual([beams.count, maxTokens, rules.minTokens], [4, 20, 7]);
  assert.deepEqual([(await decodingOf('answer')).beams.count, (await decodingOf('answer')).rules.minTokens], [1, 0]);
  assert.equal(await prefixesIn(writeModel('summary', join(folder, 'none')), 'summary'), undefined);
  const prefixOf = await prefixesIn(at, 'translation');
  assert.equal(prefixOf?.({ from: 'en', to: 'de' }), 'translate English to German: ');
  assert.equal(prefixOf?.({ from: 'en', to: 'it' }), 'translate English to Italian: ');
  const phrasing = plainPhrasing(tokenizer, { ...(await decodingOf('summary')), window: 24 }, await prefixesIn(at, 'summary'));
  const tasks = phrasing.tasks('the lamp burns colza oil. the old bell rang all night. '.repeat(4), { maxTokens: 9 });
  assert.ok(tasks.length > 2);
  const own = tokenizer.encode('text: ');
  for (const { ids } of tasks) assert.deepEqual([ids.slice(0, own.length), ids.length <= 24], [own, true]);
});

test('marks of targets, as OPUS-MT and MADLAD have them: one stands before each window', async () => {
  const words = ['</s>', '>>fra<<', '>>cmn_Hant<<', '>>cmn_Hans<<', '>>deu<<', '>>nob<<', '>>pt_BR<<', '<2it>', '<2>', '▁the'];
  const targets = targetTokens(new Map(words.map((word, id) => [word, id])));
  assert.deepEqual(Object.fromEntries(targets), { fr: 1, zh: 3, de: 4, nb: 5, no: 5, it: 7 });
  const at = writeModel('opus-mt-en-fr', join(folder, 'marks'));
  const tokenizer = await openTokenizer(at);
  const phrasing = targetedPhrasing(tokenizer, await decodingIn(at, { isCausal: false, beams: 0 }, tokenizer), targets);
  const tasks = phrasing.tasks('the cat sleeps. '.repeat(12), { maxTokens: 9, languages: { from: 'en', to: 'fr' } });
  assert.ok(tasks.length > 2);
  for (const { ids } of tasks) assert.deepEqual([ids[0], ids.at(-1), ids.length <= 14], [1, 0, true]);
  const unknown = () => phrasing.tasks('the cat', { maxTokens: 9, languages: { from: 'en', to: 'ru' } });
  assert.throws(unknown, (error: Fault) => error.code === 'MODEL_NOT_INSTALLED' && /does not know the language ru/.test(error.message));
});

test('a model that has marks of targets in its vocabulary is told the target', async () => {
  const at = writeModel('opus-mt-en-fr', join(folder, 'marked'));
  const tokenizer = readJsonOf(at, 'tokenizer.json');
  // A word that means nothing to the model stands where the mark does: the unknown word.
  tokenizer.model.vocab[1][0] = '>>fra<<';
  tokenizer.added_tokens = tokenizer.added_tokens.filter(({ id }: { id: number }) => id !== 1);
  writeFileSync(join(at, 'tokenizer.json'), JSON.stringify(tokenizer));
  const generator = await Generator.open({ folder: at, weights: SEQUENCE.map((part) => `onnx/${part}.onnx`), threads: 1, beams: 0, task: 'translation' });
  const languages = { from: 'en', to: 'fr' };
  const [{ text } = { text: '' }] = await generator.generate(['the black cat sleeps'], { maxTokens: 40, languages }, undefined);
  assert.match(text, /chat noir dort/);
  const russian = generator.generate(['the cat'], { maxTokens: 40, languages: { from: 'en', to: 'ru' } }, undefined);
  await assert.rejects(russian, (error: Fault) => error.code === 'MODEL_NOT_INSTALLED');
});

test.run();
