// Chat models in the shapes that the hub has: whatever the shape of the file, the same weights say the same, alone, in a batch, and when rows join.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { decodingIn } from '../../../actors/model/onnx/decoding.ts';
import { Generator } from '../../../actors/model/onnx/generator.ts';
import { hasOperator } from '../../../actors/model/onnx/operators.ts';
import { openTokenizer } from '../../../actors/model/onnx/tokenizer.ts';
import { memoryOf } from '../../../actors/model/weights.ts';
import type { Fault } from '../../../kernel/fault.ts';
import { writeModel } from '../../models/build.ts';
import { LLAMA_CONFIG, type LlamaShape, llamaFile } from '../../models/llama.ts';
import { TALKER_WORDS } from '../../models/talker.ts';
import { temporaryFolder } from '../../server.ts';

const folder = temporaryFolder();
test.before(() => {
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

const INPUTS = [
  'the lamp burns.',
  'who is the watchman of the old harbour?',
  'the king kept the secret treasure. '.repeat(4),
  'bell',
  'did the storm break the mole?',
];
const REQUEST = { maxTokens: 12 };

type Made = Omit<LlamaShape, 'words'> & { readonly file?: string; readonly vocabulary?: number };

/** @param vocabulary as the files say it: of more words, prompts are read in narrower columns */
function made(name: string, { file = 'model', vocabulary = TALKER_WORDS.length, ...shape }: Made): string {
  const at = writeModel('talker', join(folder, name));
  const { graph, beside } = llamaFile({ words: TALKER_WORDS.length, ...shape });
  writeFileSync(join(at, `onnx/${file}.onnx`), graph);
  if (shape.beside !== undefined) writeFileSync(join(at, 'onnx', shape.beside), beside);
  const config = { model_type: 'llama', vocab_size: vocabulary, ...LLAMA_CONFIG, eos_token_id: 0, pad_token_id: TALKER_WORDS.length - 1 };
  writeFileSync(join(at, 'config.json'), JSON.stringify(config));
  return at;
}

async function saidBy(at: string, { file = 'model', beams = 0 } = {}) {
  const generator = await Generator.open({ folder: at, weights: [`onnx/${file}.onnx`], threads: 1, beams });
  const write = async (inputs: readonly string[]) => (await generator.generate(inputs, REQUEST, undefined)).map(({ text }) => text);
  const alone: string[] = [];
  for (const input of INPUTS) alone.push(...(await write([input])));
  const together = await write(INPUTS);
  const joining = INPUTS.map(async (input, row) => {
    for (let turn = 0; turn < 3 * row; turn += 1) await new Promise(setImmediate);
    return write([input]);
  });
  return { alone, together, joined: (await Promise.all(joining)).flat() };
}

const WINDOWS = [
  ['which see all', {}],
  ['with a sliding window', { sees: 8 }],
] as const;

for (const [what, window] of WINDOWS)
  test(`grouped queries, ${what}: plain and fused attention say the same, in any batch, read in any columns`, async () => {
    const { alone: expected } = await saidBy(made(`plain ${what}`, { isFused: false, ...window }));
    assert.equal(new Set(expected).size, INPUTS.length, 'each prompt has an answer of its own');
    for (const isFused of [false, true])
      for (const vocabulary of [TALKER_WORDS.length, 3_000_000])
        for (const beams of [0, 3]) {
          const said = await saidBy(made(`${isFused} ${what}`, { isFused, vocabulary, ...window }), { beams });
          const same = beams === 0 ? expected : said.alone;
          assert.deepEqual(said, { alone: same, together: same, joined: same }, `fused: ${isFused}, words: ${vocabulary}, beams: ${beams}`);
        }
  });

test('a prompt with more tokens than the graph has places for fails alone, also when it joins', async () => {
  const at = made('short', { isFused: false });
  const [config, long] = [{ ...LLAMA_CONFIG, max_position_embeddings: 2_000 }, 'the king kept the secret treasure. '.repeat(100)];
  writeFileSync(join(at, 'config.json'), JSON.stringify({ ...config, eos_token_id: 0, pad_token_id: TALKER_WORDS.length - 1 }));
  writeFileSync(join(at, 'tokenizer_config.json'), '{}');
  const generator = await Generator.open({ folder: at, weights: ['onnx/model.onnx'], threads: 1, beams: 0 });
  const write = async (input: string, turns: number) => {
    for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
    return (await generator.generate([input], { maxTokens: 200 }, undefined))[0]?.text;
  };
  const alone = [await write(INPUTS[0] as string, 0), await write(INPUTS[1] as string, 0)];
  for (const turns of [0, 9]) {
    const [first, unfit, second] = await Promise.allSettled([write(INPUTS[0] as string, 0), write(long, turns), write(INPUTS[1] as string, turns)]);
    assert.ok(unfit?.status === 'rejected' && (unfit.reason as Fault).code === 'MODEL_FAILED');
    assert.deepEqual(
      [first, second].map((each) => each?.status === 'fulfilled' && each.value),
      alone,
      `${turns}`,
    );
  }
});

test('weights in a file beside the graph, and files with a switch for the first step', async () => {
  const { alone: expected } = await saidBy(made('one file', { isFused: false }));
  const beside = made('beside', { isFused: false, beside: 'model.onnx_data' });
  assert.deepEqual((await saidBy(beside)).together, expected);
  // More than the graph, and more than the files that may follow it.
  assert.ok((await memoryOf(beside, ['onnx/model.onnx'])) > (await memoryOf(beside, ['onnx/other.onnx'])) + 0.2);
  writeFileSync(join(beside, 'onnx/model.onnx_data_1'), Buffer.alloc(10 * 2 ** 20));
  assert.ok((await memoryOf(beside, ['onnx/model.onnx'])) > 110);
  const older = made('older', { isFused: false, hasSwitch: true, file: 'decoder_model_merged', vocabulary: 3_000_000 });
  assert.deepEqual((await saidBy(older, { file: 'decoder_model_merged' })).together, expected);
});

test('an operator is found wherever its name stands in a large file', async () => {
  const file = join(folder, 'large');
  for (const at of [0, 4_194_300, 8_000_000]) {
    writeFileSync(file, Buffer.concat([Buffer.alloc(at, 71), Buffer.from('GroupQueryAttention'), Buffer.alloc(4_194_304)]));
    assert.equal(await hasOperator(file, 'GroupQueryAttention'), true);
    assert.equal(await hasOperator(file, 'SparseAttention'), false);
  }
});

test('several ends, that of the tokenizer too, and settings of a part for texts', async () => {
  const at = made('ends', { isFused: false });
  const ends = async (config: object, generation: object, tokenizer: object) => {
    for (const [file, value] of Object.entries({ config, generation_config: generation, tokenizer_config: tokenizer }))
      writeFileSync(join(at, `${file}.json`), JSON.stringify(value));
    const decoding = await decodingIn(at, { isCausal: true, beams: 0 }, await openTokenizer(at));
    return [[...decoding.rules.ends].sort((a, b) => a - b), decoding.window];
  };
  const assistant = TALKER_WORDS.indexOf('<|assistant|>');
  assert.deepEqual(await ends({ eos_token_id: 0, max_position_embeddings: 99 }, { eos_token_id: [0, 7, 9] }, {}), [[0, 7, 9], 99]);
  assert.deepEqual(await ends({ eos_token_id: 0 }, {}, { eos_token: '<|assistant|>', model_max_length: 1e30 }), [[0, assistant], 4_096]);
  assert.deepEqual(await ends({ text_config: { eos_token_id: 3, max_position_embeddings: 77 } }, {}, { eos_token: { content: '</s>' } }), [[0, 3], 77]);
});

test.run();
