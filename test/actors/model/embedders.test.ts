// Embedding models of many kinds: what their vectors are made of, what stands before questions and passages, and how long a window is.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import { Embedder } from '../../../actors/model/onnx/embedder.ts';
import { embedderRevisionOf, embeddingSettingsIn } from '../../../actors/model/onnx/embedding-settings.ts';
import { openTokenizer } from '../../../actors/model/onnx/tokenizer.ts';
import type { Fault } from '../../../kernel/fault.ts';
import { writeModel } from '../../models/build.ts';
import { DIMENSIONS, EMBEDDER_WORDS, wordTable } from '../../models/embedder.ts';
import { Graph } from '../../models/onnx.ts';
import { FIRST_WORD } from '../../models/tokenizer.ts';
import { temporaryFolder } from '../../server.ts';

const folder = temporaryFolder();
test.before(() => {
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

type Files = Readonly<Record<string, object>>;

/** The test embedder under a name, without a manifest, with files changed. */
function model(name: string, files: Files = {}): string {
  const at = join(folder, name);
  rmSync(at, { recursive: true, force: true });
  writeModel('embedder', at);
  for (const [path, value] of Object.entries(files)) {
    mkdirSync(dirname(join(at, 'embedder', path)), { recursive: true });
    writeFileSync(join(at, 'embedder', path), JSON.stringify(value));
  }
  return join(at, 'embedder');
}

const CLS = { '1_Pooling/config.json': { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false } };
const refused = (message: RegExp) => (error: Fault) => error.code === 'MODEL_FAILED' && message.test(error.message);

test('pooling: as flags, as a word, in the folder that modules.json names, the mean if nothing says it', async () => {
  const pooling = async (files: Files) => (await embeddingSettingsIn(model('pooling', files))).pooling;
  assert.equal(await pooling({}), 'mean');
  assert.equal(await pooling(CLS), 'cls');
  assert.equal(await pooling({ '1_Pooling/config.json': { pooling_mode: 'max' } }), 'max');
  assert.equal(await pooling({ '1_Pooling/config.json': { pooling_mode_lasttoken: true } }), 'last');
  assert.equal(await pooling({ '1_Pooling/config.json': { pooling_mode_mean_sqrt_len_tokens: true } }), 'mean');
  const modules = [
    { type: 'sentence_transformers.models.Transformer', path: '' },
    { type: 'sentence_transformers.models.Pooling', path: '2_Pooling' },
  ];
  assert.equal(await pooling({ 'modules.json': modules, '2_Pooling/config.json': { pooling_mode: 'cls' } }), 'cls');
  await assert.rejects(pooling({ '1_Pooling/config.json': { pooling_mode_weightedmean_tokens: true } }), refused(/weightedmean_tokens is not supported/));
  await assert.rejects(pooling({ '1_Pooling/config.json': { pooling_mode_cls_token: true, pooling_mode_max_tokens: true } }), refused(/is not supported/));
});

test('well-known models are known by name where their files do not say how they are used', async () => {
  const known = async (name: string, files: Files = {}) => {
    const { pooling, prompts } = await embeddingSettingsIn(model('known', { 'config.json': { _name_or_path: name }, ...files }));
    return [pooling, prompts.query, prompts.passage];
  };
  assert.deepEqual(await known('intfloat/multilingual-e5-small'), ['mean', 'query: ', 'passage: ']);
  assert.deepEqual(await known('intfloat/multilingual-e5-large-instruct'), ['mean', '', '']);
  assert.deepEqual(await known('BAAI/bge-small-en-v1.5'), ['cls', 'Represent this sentence for searching relevant passages: ', '']);
  assert.deepEqual(await known('sentence-transformers/all-MiniLM-L6-v2'), ['mean', '', '']);
  const said = { 'config_sentence_transformers.json': { prompts: { query: 'ask: ', document: 'told: ' } } };
  assert.deepEqual(await known('intfloat/e5-base-v2', { ...said, ...CLS }), ['cls', 'ask: ', 'told: ']);
  const empty = { 'config_sentence_transformers.json': { prompts: { query: '', document: '' } } };
  assert.deepEqual(await known('intfloat/e5-base-v2', empty), ['mean', 'query: ', 'passage: ']);
  const pulled = model('pulled', { 'manifest.json': { id: 'Xenova/bge-m3', revision: 'a', files: {} } });
  assert.equal((await embeddingSettingsIn(pulled)).pooling, 'cls');
});

test('vectors of another use have another name; those of plain use have that of the files', async () => {
  const names = [
    await embedderRevisionOf(model('plain')),
    await embedderRevisionOf(model('plain', { '1_Pooling/config.json': { pooling_mode: 'cls' } })),
    await embedderRevisionOf(model('plain', { 'config_sentence_transformers.json': { prompts: { query: 'a' } } })),
  ];
  assert.equal(names[0], 'test');
  assert.equal(new Set(names).size, 3);
});

test('a window is as long as the model has positions: some begin behind the number of the padding', async () => {
  const most = async (config: object, sentence: object = {}, tokens: object = {}) =>
    (await embeddingSettingsIn(model('long', { 'config.json': config, 'sentence_bert_config.json': sentence, 'tokenizer_config.json': tokens }))).maxTokens;
  assert.equal(await most({ model_type: 'bert', max_position_embeddings: 512 }), 512);
  assert.equal(await most({ model_type: 'xlm-roberta', max_position_embeddings: 514, pad_token_id: 1 }), 512);
  assert.equal(await most({ model_type: 'mpnet', max_position_embeddings: 514 }, { max_seq_length: 384 }, { model_max_length: 1e30 }), 384);
  assert.deepEqual([await most({}), await most({}, {}, { model_max_length: 1e30 })], [512, 8_192]);
});

test('every window of a long text begins with what the model wants before a text', async () => {
  const tokenizer = await openTokenizer(model('prefix'));
  const [prefix, text] = ['the watchman ', 'the lamp burns colza oil every evening. '.repeat(12)];
  const own = tokenizer.encode(prefix);
  const windows = tokenizer.windows(text, 24, { prefix });
  assert.ok(windows.length > 3);
  for (const window of windows) assert.deepEqual([window.slice(1, 1 + own.length), window.length <= 24], [own, true]);
  const words = windows.flatMap((window) => window.slice(1 + own.length, -1));
  assert.deepEqual(words, tokenizer.encode(text), 'nothing is lost');
});

const NOW = ['batch_size', 'sequence_length'];

/** Like a chat model that was made an embedder: a token holds what came before it, and there are caches, which are empty. */
function listener(): Uint8Array {
  const g = new Graph('listener');
  const ids = g.input('input_ids', 'int64', NOW);
  const mask = g.op('Cast', [g.input('attention_mask', 'int64', NOW)], { to: 1 });
  const places = g.op('Cast', [g.input('position_ids', 'int64', NOW)], { to: 1 });
  const past = g.input('past_key_values.0.key', 'float', ['batch_size', 2, 'past_sequence_length', 8]);
  const words = g.op('Gather', [g.weight('words', [FIRST_WORD + EMBEDDER_WORDS.length, DIMENSIONS], wordTable()), ids]);
  // Wrong positions show.
  const seen = g.op('Mul', [words, g.op('Unsqueeze', [g.op('Mul', [mask, g.op('Add', [places, g.number(1)])]), g.ints(2)])]);
  g.op('CumSum', [seen, g.int(1)], {}, ['last_hidden_state']);
  g.output('last_hidden_state', 'float', [...NOW, DIMENSIONS]);
  g.op('Identity', [past], {}, ['present.0.key']);
  g.output('present.0.key', 'float', ['batch_size', 2, 'total_sequence_length', 8]);
  return g.file();
}

/** Gives a vector for each text beside one for each token; what it does to the first is in its graph alone. */
function finished(): Uint8Array {
  const g = new Graph('finished');
  const ids = g.input('input_ids', 'int64', NOW);
  g.op('Gather', [g.weight('words', [FIRST_WORD + EMBEDDER_WORDS.length, DIMENSIONS], wordTable()), ids], {}, ['token_embeddings']);
  g.output('token_embeddings', 'float', [...NOW, DIMENSIONS]);
  const sum = g.op('ReduceSum', ['token_embeddings', g.ints(1)], { keepdims: 0 });
  g.op('Slice', [sum, g.ints(0), g.ints(8), g.ints(1)], {}, ['sentence_embedding']);
  g.output('sentence_embedding', 'float', ['batch_size', 8]);
  return g.file();
}

const open = (at: string) => Embedder.open({ folder: at, weights: 'onnx/model.onnx', threads: 1 });
const TEXTS = ['the lamp burns', 'the storm broke the old mole in march', 'a dog'];
const close = (a: Float32Array | undefined, b: Float32Array | undefined) => (a ?? []).every((value, at) => Math.abs(value - (b?.[at] as number)) < 1e-5);

test('one made of a chat model: positions, caches and the last token, alone and in a batch', async () => {
  const at = model('listener', { '1_Pooling/config.json': { pooling_mode_lasttoken: true } });
  writeFileSync(join(at, 'onnx/model.onnx'), listener());
  const embedder = await open(at);
  const together = await embedder.embed(TEXTS, 'query', undefined);
  for (const [index, text] of TEXTS.entries()) assert.ok(close((await embedder.embed([text], 'query', undefined))[0]?.[0], together[index]?.[0]), text);
  const [there] = await embedder.embed(['lamp the burns'], 'query', undefined);
  assert.ok(!close(there?.[0], together[0]?.[0]), 'the order of words counts');
});

test('a vector that the graph makes of a text is taken as it is; without it, further layers are refused', async () => {
  const dense = { 'modules.json': [{ type: 'sentence_transformers.models.Transformer' }, { type: 'sentence_transformers.models.Dense', path: '2_Dense' }] };
  const at = model('finished', dense);
  await assert.rejects(open(at), refused(/dense layer/));
  writeFileSync(join(at, 'onnx/model.onnx'), finished());
  const [[vector] = []] = await (await open(at)).embed([TEXTS[0] as string], 'query', undefined);
  assert.equal(vector?.length, 8);
});

test.run();
