// A model with the sizes of OPUS-MT (6 + 6 layers, 59514 words) and weights that are made up when it is loaded: its files have a few kilobytes, its work is that of the real one.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decoderOf, encoderOf, type Plan } from '../../test/models/marian.ts';
import { sequenceTokenizer, sequenceTokenizerConfig } from '../../test/models/tokenizer.ts';
import { shapesOf } from '../../test/models/weights.ts';

const SIZES = { model: 512, heads: 8, inner: 2_048, positions: 512, words: 59_514, layers: 6 };
const FLOAT = 1;

/** Waves instead of weights: ONNX Runtime computes what depends on no input once, while it loads the model. */
function madeUp(): Plan {
  const shapes = new Map(shapesOf(SIZES).map(([name, rows, cols]) => [name, { rows, cols }]));
  const made = new Map<string, string>();
  let from = 1;
  return {
    sizes: SIZES,
    parameter({ outer }, name) {
      const known = made.get(name);
      if (known !== undefined) return known;
      const { rows, cols } = shapes.get(name) as { rows: number; cols: number };
      const count = outer.op('Cast', [outer.op('Range', [outer.int(from), outer.int(from + rows * cols), outer.int(1)])], { to: FLOAT });
      const wave = outer.op('Sin', [outer.op('Mul', [count, outer.number(0.731)])]);
      const scaled = outer.op('Mul', [wave, outer.number(rows === 1 ? 0.5 : Math.sqrt(3 / rows))]);
      const weight = outer.op('Reshape', [scaled, outer.ints(...(rows === 1 ? [cols] : [rows, cols]))]);
      from += rows * cols;
      made.set(name, weight);
      return weight;
    },
  };
}

/** @param tokens that it writes for each input: it never ends before @returns its folder */
export function writeOpusModel(folder: string, tokens: number): string {
  const words = ['</s>', '<unk>', ...Array.from({ length: SIZES.words - 3 }, (_, index) => `w${index}`), '<pad>'];
  const padding = words.length - 1;
  const ends = { eos_token_id: 0, pad_token_id: padding, decoder_start_token_id: padding };
  const files: Readonly<Record<string, string | Uint8Array>> = {
    'config.json': JSON.stringify({ model_type: 'marian', max_position_embeddings: SIZES.positions, ...ends }),
    'generation_config.json': JSON.stringify({ ...ends, bad_words_ids: [[0], [padding]], max_length: tokens + 1 }),
    'tokenizer.json': JSON.stringify(sequenceTokenizer(words)),
    'tokenizer_config.json': JSON.stringify(sequenceTokenizerConfig('MarianTokenizer', SIZES.positions)),
    'onnx/encoder_model.onnx': encoderOf(madeUp()),
    'onnx/decoder_model_merged.onnx': decoderOf(madeUp()),
  };
  const own = join(folder, 'opus');
  mkdirSync(join(own, 'onnx'), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(own, name), content);
  return own;
}
