// Builds the test models in the folder layout of the hub: a pair of translation models, one for both directions, a summariser, one that answers questions, one that does both as told in a chat, and an embedder.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DIMENSIONS, EMBEDDER_WORDS, embedderFile } from './embedder.ts';
import { decoderFile, encoderFile } from './marian.ts';
import { LANGUAGE_WORDS, vocabulary, wordsOfBoth } from './phrasebook.ts';
import { READER_WORDS, readerFile, writerFile } from './reader.ts';
import { CHAT_TEMPLATE, ROLES, TALKER_WORDS, talkerFile } from './talker.ts';
import {
  bertTokenizer,
  bertTokenizerConfig,
  FIRST_WORD,
  multilingualTokenizer,
  sequenceTokenizer,
  sequenceTokenizerConfig,
  talkerTokenizer,
} from './tokenizer.ts';
import { readWeights, SIZES, type Sizes, shapesOf, type Weights } from './weights.ts';

/** Path in the folder of the model, with slashes, and contents. */
export type ModelFiles = ReadonlyMap<string, Uint8Array>;

const json = (value: object): Uint8Array => Buffer.from(JSON.stringify(value, null, 1));

const { model: width, heads, inner, positions } = SIZES;
const MARIAN_SHAPE = {
  d_model: width,
  encoder_layers: 1,
  decoder_layers: 1,
  encoder_attention_heads: heads,
  decoder_attention_heads: heads,
  encoder_ffn_dim: inner,
  decoder_ffn_dim: inner,
  max_position_embeddings: positions,
};

const graphsOf = (weights: Weights, sizes: Sizes): [string, Uint8Array][] => [
  ['onnx/encoder_model.onnx', encoderFile(weights, false, sizes)],
  ['onnx/decoder_model_merged.onnx', decoderFile(weights, false, sizes)],
  ['onnx/encoder_model_quantized.onnx', encoderFile(weights, true, sizes)],
  ['onnx/decoder_model_merged_quantized.onnx', decoderFile(weights, true, sizes)],
];

function translator(from: string, to: string): ModelFiles {
  const words = vocabulary();
  const ends = { bos_token_id: 0, eos_token_id: 0, forced_eos_token_id: 0, pad_token_id: words.length - 1, decoder_start_token_id: words.length - 1 };
  const config = {
    model_type: 'marian',
    architectures: ['MarianMTModel'],
    is_encoder_decoder: true,
    vocab_size: words.length,
    ...MARIAN_SHAPE,
    num_beams: 1,
    activation_function: 'swish',
    scale_embedding: true,
    static_position_embeddings: true,
    ...ends,
  };
  return new Map([
    ['config.json', json(config)],
    ['generation_config.json', json({ ...ends, bad_words_ids: [[words.length - 1]], max_length: positions })],
    ['tokenizer.json', json(sequenceTokenizer(words))],
    [
      'tokenizer_config.json',
      json({ ...sequenceTokenizerConfig('MarianTokenizer', TRANSLATOR_TOKENS), source_lang: from, target_lang: to, separate_vocabs: false }),
    ],
    ...graphsOf(readWeights(new URL(`${from}-${to}.weights`, import.meta.url)), SIZES),
  ]);
}

/** One model for both directions: its texts begin with the word of their language, its answers with that of the language that is wanted. */
function multilingual(): ModelFiles {
  const words = wordsOfBoth();
  const ends = { bos_token_id: 0, eos_token_id: 0, pad_token_id: words.length - 1, decoder_start_token_id: 0 };
  const sizes = { ...SIZES, words: words.length };
  const config = { model_type: 'm2m_100', architectures: ['M2M100ForConditionalGeneration'], is_encoder_decoder: true, vocab_size: words.length };
  return new Map([
    ['config.json', json({ ...config, ...MARIAN_SHAPE, ...ends })],
    ['generation_config.json', json({ ...ends, num_beams: 2, max_length: positions })],
    ['tokenizer.json', json(multilingualTokenizer(words, LANGUAGE_WORDS))],
    ['tokenizer_config.json', json({ ...sequenceTokenizerConfig('M2M100Tokenizer', TRANSLATOR_TOKENS + 1), additional_special_tokens: LANGUAGE_WORDS })],
    ...graphsOf(readWeights(new URL('both.weights', import.meta.url), shapesOf(sizes)), sizes),
  ]);
}

/** Two or three sentences: it has learned up to four at once. */
const TRANSLATOR_TOKENS = 14;
const READER_TOKENS = 128;

/** @param kind how the hub names models of this shape */
function reader(kind: 'bart' | 't5', asks: boolean): ModelFiles {
  const ends = { eos_token_id: 0, pad_token_id: READER_WORDS.length - 1, decoder_start_token_id: READER_WORDS.length - 1 };
  const shape =
    kind === 'bart'
      ? { encoder_layers: 1, decoder_layers: 1, encoder_attention_heads: 1, decoder_attention_heads: 1, d_model: 1, max_position_embeddings: READER_TOKENS }
      : { num_layers: 1, num_decoder_layers: 1, num_heads: 1, d_kv: 1, d_model: 1, n_positions: READER_TOKENS };
  const architecture = kind === 'bart' ? 'BartForConditionalGeneration' : 'T5ForConditionalGeneration';
  const config = { model_type: kind, architectures: [architecture], is_encoder_decoder: true, vocab_size: READER_WORDS.length, ...shape, ...ends };
  const [encoder, decoder] = [readerFile(asks), writerFile()];
  return new Map([
    ['config.json', json(config)],
    ['generation_config.json', json(ends)],
    ['tokenizer.json', json(sequenceTokenizer(READER_WORDS))],
    ['tokenizer_config.json', json(sequenceTokenizerConfig(kind === 'bart' ? 'BartTokenizer' : 'T5Tokenizer', READER_TOKENS))],
    ['onnx/encoder_model.onnx', encoder],
    ['onnx/decoder_model_merged.onnx', decoder],
    // They have no matrices that could be made smaller.
    ['onnx/encoder_model_quantized.onnx', encoder],
    ['onnx/decoder_model_merged_quantized.onnx', decoder],
  ]);
}

const TALKER_TOKENS = 192;

function talker(isHalf = false): ModelFiles {
  const ends = { eos_token_id: 0, pad_token_id: TALKER_WORDS.length - 1 };
  const shape = { num_hidden_layers: 1, num_attention_heads: 1, num_key_value_heads: 1, hidden_size: 1, max_position_embeddings: TALKER_TOKENS };
  const graph = talkerFile(isHalf);
  return new Map([
    ['config.json', json({ model_type: 'llama', architectures: ['LlamaForCausalLM'], vocab_size: TALKER_WORDS.length, ...shape, ...ends })],
    ['generation_config.json', json(ends)],
    ['tokenizer.json', json(talkerTokenizer(TALKER_WORDS, ROLES))],
    ['tokenizer_config.json', json({ ...sequenceTokenizerConfig('LlamaTokenizer', TALKER_TOKENS), chat_template: CHAT_TEMPLATE })],
    ['onnx/model.onnx', graph],
    ['onnx/model_quantized.onnx', graph],
  ]);
}

const EMBEDDER_TOKENS = 256;

function embedder(): ModelFiles {
  const sizes = { vocab_size: FIRST_WORD + EMBEDDER_WORDS.length, hidden_size: DIMENSIONS, max_position_embeddings: EMBEDDER_TOKENS };
  return new Map([
    ['config.json', json({ model_type: 'bert', architectures: ['BertModel'], num_hidden_layers: 0, num_attention_heads: 1, ...sizes })],
    ['tokenizer.json', json(bertTokenizer(EMBEDDER_WORDS))],
    ['tokenizer_config.json', json(bertTokenizerConfig(EMBEDDER_TOKENS))],
    ['onnx/model.onnx', embedderFile(false)],
    ['onnx/model_quantized.onnx', embedderFile(true)],
  ]);
}

const MODELS = {
  'opus-mt-en-fr': () => translator('en', 'fr'),
  'opus-mt-fr-en': () => translator('fr', 'en'),
  'm2m-en-fr': () => multilingual(),
  summary: () => reader('bart', false),
  answers: () => reader('t5', true),
  talker: () => talker(),
  'talker-half': () => talker(true),
  embedder: () => embedder(),
} as const;

export type TestModel = keyof typeof MODELS;
export const TEST_MODELS = Object.keys(MODELS) as readonly TestModel[];

export function modelFiles(id: TestModel): ModelFiles {
  return MODELS[id]();
}

/** Writes a model below the folder, as `npm run model -- pull` leaves it. @returns its own folder */
export function writeModel(id: TestModel, folder: string): string {
  const files = modelFiles(id);
  const digests: Record<string, { sha256: string; bytes: number }> = {};
  for (const [path, bytes] of files) {
    const file = join(folder, id, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
    digests[path] = { sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length };
  }
  writeFileSync(join(folder, id, 'manifest.json'), json({ revision: 'test', files: digests }));
  return join(folder, id);
}
