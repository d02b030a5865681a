// Which files of a model on a hub are downloaded: all that it needs to say the same here as where it was made, and no more.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { chosenFiles } from '../../../actors/model/hub/listing.ts';

const chosen = (paths: readonly string[], precision: Parameters<typeof chosenFiles>[1] = 'auto') =>
  chosenFiles({ commit: 'a'.repeat(40), files: paths.map((path) => ({ path, bytes: 1 })) }, precision).map(({ path }) => path);
const NEEDED = ['config.json', 'tokenizer.json'];

test('an embedder of sentence-transformers comes with what says how its vectors are made', () => {
  const needed = [
    ...NEEDED,
    'modules.json',
    'sentence_bert_config.json',
    'config_sentence_transformers.json',
    '1_Pooling/config.json',
    'onnx/model.onnx',
    'sentencepiece.bpe.model',
  ];
  assert.deepEqual(chosen([...needed, 'model.safetensors', 'pytorch_model.bin', 'onnx/model_O4.onnx', '2_Dense/model.safetensors', 'README.md']), needed);
});

test('a chat model comes with its template in either form, and with all files beside the graph', () => {
  const needed = [
    ...NEEDED,
    'chat_template.json',
    'chat_template.jinja',
    'onnx/model_q4f16.onnx',
    'onnx/model_q4f16.onnx_data',
    'onnx/model_q4f16.onnx_data_1',
  ];
  assert.deepEqual(chosen([...needed, 'onnx/model_uint8x.onnx']), needed);
});

test('the graph of an older chat model has the name of a decoder; a decoder with an encoder is no such', () => {
  assert.deepEqual(chosen([...NEEDED, 'onnx/decoder_model_merged_quantized.onnx']), [...NEEDED, 'onnx/decoder_model_merged_quantized.onnx']);
  const quantised = ['onnx/encoder_model_quantized.onnx', 'onnx/decoder_model_merged_quantized.onnx'];
  assert.deepEqual(chosen([...NEEDED, 'onnx/decoder_model_merged.onnx', ...quantised]), [...NEEDED, ...quantised]);
  assert.throws(() => chosen([...NEEDED, 'onnx/decoder_model_merged.onnx', ...quantised], 'fp32'), /no weights of precision fp32/);
});

test.run();
