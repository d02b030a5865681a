// Models whose files are damaged, or do not belong together: what is wrong is told with the name of the file, and nothing is written or found that they cannot know.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import { revisionOf } from '../../../actors/model/manifest.ts';
import { Embedder } from '../../../actors/model/onnx/embedder.ts';
import { Generator } from '../../../actors/model/onnx/generator.ts';
import type { Fault } from '../../../kernel/fault.ts';
import { type TestModel, writeModel } from '../../models/build.ts';
import { DIMENSIONS, EMBEDDER_WORDS, wordTable } from '../../models/embedder.ts';
import { encoderFile } from '../../models/marian.ts';
import { Graph } from '../../models/onnx.ts';
import { vocabulary } from '../../models/phrasebook.ts';
import { FIRST_WORD } from '../../models/tokenizer.ts';
import { readWeights, SIZES } from '../../models/weights.ts';
import { temporaryFolder } from '../../server.ts';

const folder = temporaryFolder();
test.before(() => {
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** A test model without a manifest, with files changed. @returns its folder */
function model(id: TestModel, files: Readonly<Record<string, string | Uint8Array | undefined>> = {}): string {
  rmSync(join(folder, id), { recursive: true, force: true });
  const at = writeModel(id, folder);
  rmSync(join(at, 'manifest.json'));
  for (const [path, content] of Object.entries(files)) {
    rmSync(join(at, path), { recursive: true, force: true });
    mkdirSync(dirname(join(at, path)), { recursive: true });
    if (content === undefined) mkdirSync(join(at, path));
    else writeFileSync(join(at, path), content);
  }
  return at;
}

const ENCODED = ['onnx/encoder_model.onnx', 'onnx/decoder_model_merged.onnx'];
const openers: Readonly<Record<'embedder' | 'summary' | 'talker', (at: string) => Promise<Embedder | Generator>>> = {
  embedder: (at) => Embedder.open({ folder: at, weights: 'onnx/model.onnx', threads: 1 }),
  summary: (at) => Generator.open({ folder: at, weights: ENCODED, threads: 1, beams: 0, task: 'summary' }),
  talker: (at) => Generator.open({ folder: at, weights: ['onnx/model.onnx'], threads: 1, beams: 0, task: 'answer' }),
};
const FILES = {
  embedder: ['tokenizer.json', 'tokenizer_config.json', 'config.json', 'modules.json', '1_Pooling/config.json', 'config_sentence_transformers.json'],
  summary: ['tokenizer.json', 'tokenizer_config.json', 'config.json', 'generation_config.json'],
  talker: ['tokenizer.json', 'tokenizer_config.json', 'config.json', 'generation_config.json'],
};
const failed = (message: RegExp) => (error: Fault) => error.code === 'MODEL_FAILED' && message.test(error.detail ?? '');
const named = (file: string) => failed(new RegExp(`^${file.replaceAll('.', '\\.')}: `));

test('a file that is cut off, empty, of other JSON or cannot be read is named', async () => {
  for (const [id, open] of Object.entries(openers))
    for (const file of FILES[id as keyof typeof FILES])
      for (const content of ['{"model_type":', '', 'null', '"text"', '5', undefined])
        await assert.rejects(open(model(id as TestModel, { [file]: content })), named(file), `${id} ${file} ${content}`);
  for (const [id, open] of Object.entries(openers))
    for (const content of ['{}', '[]', '{"model":{"type":"Unheard"}}', '{"model":null,"added_tokens":7}'])
      await assert.rejects(open(model(id as TestModel, { 'tokenizer.json': content })), named('tokenizer.json'), `${id} ${content}`);
});

test('a file that the revision needs and that cannot be read is named', async () => {
  const at = model('embedder');
  rmSync(join(at, 'config.json'));
  symlinkSync(join(at, 'nowhere'), join(at, 'config.json'));
  await assert.rejects(revisionOf(at), named('config.json'));
});

test('limits that leave no room for a text are refused; those that are no limits say nothing', async () => {
  const limit = (value: unknown) => ({ 'tokenizer_config.json': JSON.stringify({ model_max_length: value }) });
  for (const [id, open] of Object.entries(openers)) await assert.rejects(open(model(id as TestModel, limit(1))), failed(/leaves no room for a text/), id);
  for (const value of [0, -5, 'long', null, 1e30]) {
    const embedder = (await openers.embedder(model('embedder', limit(value)))) as Embedder;
    assert.equal((await embedder.embed(['the lamp burns'], 'query', undefined)).length, 1, String(value));
    const generator = (await openers.summary(model('summary', limit(value)))) as Generator;
    assert.deepEqual(await generator.generate(['the lamp burns.'], { maxTokens: 20 }, undefined), [{ text: 'the lamp burns.', isCut: false }], String(value));
  }
});

test('numbers of tokens that are none, and limits of zero, are as if the file did not have them', async () => {
  const odd = { decoder_start_token_id: 1.5, pad_token_id: -1, forced_bos_token_id: 'a', bad_words_ids: [[0.5]], max_length: 0, num_beams: 0, min_length: -1 };
  const generator = (await openers.summary(model('summary', { 'generation_config.json': JSON.stringify({ ...odd, eos_token_id: [0, 0.5] }) }))) as Generator;
  assert.deepEqual(await generator.generate(['the lamp burns.'], { maxTokens: 20 }, undefined), [{ text: 'the lamp burns.', isCut: false }]);
});

test('graphs and tokenizers that do not belong together are a failure of the model, no internal error', async () => {
  const beyond = JSON.stringify({ eos_token_id: 0, pad_token_id: 0, decoder_start_token_id: 99_999_999 });
  const generator = (await openers.summary(model('opus-mt-en-fr', { 'generation_config.json': beyond }))) as Generator;
  const writing = generator.generate(['hello world'], { maxTokens: 20 }, undefined);
  await assert.rejects(writing, failed(/its files are damaged, or do not belong together/));
  const few = new Graph('few');
  const ids = few.input('input_ids', 'int64', ['batch_size', 'sequence_length']);
  few.op('Gather', [few.weight('words', [2, DIMENSIONS], wordTable().slice(0, 2 * DIMENSIONS)), ids], {}, ['last_hidden_state']);
  few.output('last_hidden_state', 'float', ['batch_size', 'sequence_length', DIMENSIONS]);
  const embedder = (await openers.embedder(model('embedder', { 'onnx/model.onnx': few.file() }))) as Embedder;
  await assert.rejects(embedder.embed(['the lamp'], 'query', undefined), failed(/do not belong together/));
  const silent = new Graph('silent');
  silent.op('Identity', [silent.input('input_ids', 'int64', ['batch_size', 'sequence_length'])], {}, ['words']);
  silent.output('words', 'int64', ['batch_size', 'sequence_length']);
  const talker = (await openers.talker(model('talker', { 'onnx/model.onnx': silent.file() }))) as Generator;
  await assert.rejects(talker.generate(['a'], { maxTokens: 9 }, undefined), failed(/no output logits/));
});

/** An embedder whose table ends before the last word. */
async function shortEmbedder(): Promise<Embedder> {
  const words = FIRST_WORD + EMBEDDER_WORDS.length - 1;
  const graph = new Graph('short');
  const ids = graph.input('input_ids', 'int64', ['batch_size', 'sequence_length']);
  graph.op('Gather', [graph.weight('words', [words, DIMENSIONS], wordTable().slice(0, words * DIMENSIONS)), ids], {}, ['last_hidden_state']);
  graph.output('last_hidden_state', 'float', ['batch_size', 'sequence_length', DIMENSIONS]);
  return (await openers.embedder(model('embedder', { 'onnx/model.onnx': graph.file() }))) as Embedder;
}

test('a text with a word beyond the table of the model fails alone, whoever shares its batch', async () => {
  const embedder = await shortEmbedder();
  const embedded = await Promise.allSettled(
    [['the lamp .'], ['which storm ?', 'the bell .'], ['the bell .']].map((texts) => embedder.embed(texts, 'query', undefined)),
  );
  assert.deepEqual(
    embedded.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

test('a text with more tokens than the encoder has places for fails alone, also when it joins', async () => {
  const weights = readWeights(new URL('../../models/en-fr.weights', import.meta.url));
  const at = model('opus-mt-en-fr', { 'onnx/encoder_model.onnx': encoderFile(weights, false, { ...SIZES, positions: 8 }) });
  const generator = await Generator.open({ folder: at, weights: ENCODED, threads: 1, beams: 0, task: 'translation' });
  const write = (text: string) => generator.generate([text], { maxTokens: 30, languages: { from: 'en', to: 'fr' } }, undefined);
  const [first, unfit] = await Promise.allSettled([write('hello world'), write('the black cat sleeps '.repeat(4)), write('the black cat sleeps')]);
  assert.deepEqual([first?.status === 'fulfilled' && first.value[0]?.text, unfit?.status], ['bonjour le monde', 'rejected']);
  const begun = write('the black cat sleeps');
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  await assert.rejects(write('the black cat sleeps '.repeat(4)), failed(/cannot run the model with this text/));
  assert.equal((await begun)[0]?.text, 'le chat noir dort');
});

const NO_NUMBER = failed(/no number \(NaN\)/);

test('vectors that are no numbers are an error of their text alone', async () => {
  const table = wordTable();
  const place = FIRST_WORD + EMBEDDER_WORDS.indexOf('storm');
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
    table.fill(value, place * DIMENSIONS, (place + 1) * DIMENSIONS);
    const graph = new Graph('poisoned');
    const ids = graph.input('input_ids', 'int64', ['batch_size', 'sequence_length']);
    graph.op('Gather', [graph.weight('words', [table.length / DIMENSIONS, DIMENSIONS], table), ids], {}, ['last_hidden_state']);
    graph.output('last_hidden_state', 'float', ['batch_size', 'sequence_length', DIMENSIONS]);
    const embedder = (await openers.embedder(model('embedder', { 'onnx/model.onnx': graph.file() }))) as Embedder;
    const [poisoned, sound] = await Promise.allSettled(['the storm', 'the lamp'].map((text) => embedder.embed([text], 'query', undefined)));
    assert.ok(poisoned?.status === 'rejected' && NO_NUMBER(poisoned.reason as Fault), String(value));
    assert.equal(sound?.status, 'fulfilled');
  }
});

test('scores that are no numbers are an error of their text alone, whatever the number of hypotheses', async () => {
  const weights = readWeights(new URL('../../models/en-fr.weights', import.meta.url));
  const words = weights.get('words.weight');
  const word = vocabulary().indexOf('black');
  words?.data.fill(Number.NaN, word * words.cols, (word + 1) * words.cols);
  const at = model('opus-mt-en-fr', { 'onnx/encoder_model.onnx': encoderFile(weights, false, SIZES) });
  for (const beams of [1, 3]) {
    const generator = await Generator.open({ folder: at, weights: ENCODED, threads: 1, beams, task: 'translation' });
    const write = (text: string) => generator.generate([text], { maxTokens: 30, languages: { from: 'en', to: 'fr' } }, undefined);
    const [poisoned, sound] = await Promise.allSettled([write('the black cat sleeps'), write('hello world')]);
    assert.ok(poisoned?.status === 'rejected' && NO_NUMBER(poisoned.reason as Fault), `${beams}`);
    assert.deepEqual(sound?.status === 'fulfilled' && sound.value, [{ text: 'bonjour le monde', isCut: false }]);
  }
});

test.run();
