// How many steps a batch of texts takes: as many as its longest row needs, and one more at most after its clients have left.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { Generator } from '../../../actors/model/onnx/generator.ts';
import type { Fault } from '../../../kernel/fault.ts';
import { writeModel } from '../../models/build.ts';
import { temporaryFolder } from '../../server.ts';

const folder = temporaryFolder();
let generator: Generator;
let steps = 0;
let onStep: (ids: BigInt64Array) => void = () => {};
/** Rows of each step. */
const sizes: number[] = [];

/** Counts the runs of decoders of this process. */
async function countSteps(model: string): Promise<void> {
  const { InferenceSession } = await import('onnxruntime-node');
  const session = await InferenceSession.create(model);
  const prototype = Object.getPrototypeOf(session) as typeof session;
  const { run } = prototype;
  prototype.run = function (this: typeof session, ...given: Parameters<typeof run>) {
    if ('encoder_hidden_states' in given[0]) {
      steps += 1;
      sizes.push((given[0]['input_ids'] as { readonly dims: readonly number[] }).dims[0] as number);
      onStep((given[0]['input_ids'] as { readonly data: unknown }).data as BigInt64Array);
    }
    return run.apply(this, given);
  } as typeof run;
  await session.release();
}

test.before(async () => {
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
  const model = writeModel('summary', folder);
  await countSteps(join(model, 'onnx/encoder_model.onnx'));
  generator = await Generator.open({ folder: model, weights: ['onnx/encoder_model.onnx', 'onnx/decoder_model_merged.onnx'], threads: 1, beams: 0 });
});
test.before.each(() => {
  steps = 0;
  sizes.length = 0;
  onStep = () => {};
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

const TEXTS = ['the old bell rang.', 'the watchman of the harbour has kept the old light for four years.', 'the lamp burns.'];
/** Words, the full stop and the end. Left alone, rows begin again after it: by chance, rows of other lengths could end in one step. */
const LONGEST = 13 + 1 + 1;

test('rows that have ended do not keep the batch going, though the model would write on', async () => {
  const written = await generator.generate(TEXTS, { maxTokens: 100 }, undefined);
  assert.deepEqual(
    written,
    TEXTS.map((text) => ({ text, isCut: false })),
  );
  assert.equal(steps, LONGEST);
});

test('a row whose client leaves stops with the next step; the others of its batch go on', async () => {
  const leaving = new AbortController();
  onStep = () => steps === 3 && leaving.abort();
  const [left, stayed] = [
    generator.generate([TEXTS[1] as string], { maxTokens: 100 }, leaving.signal),
    generator.generate([TEXTS[2] as string], { maxTokens: 100 }, undefined),
  ];
  await assert.rejects(left, (error: Fault) => error.code === 'CANCELLED');
  assert.ok(steps <= 4, `${steps} steps`);
  assert.deepEqual(await stayed, [{ text: TEXTS[2], isCut: false }]);
  const all = new AbortController();
  steps = 0;
  onStep = () => steps === 3 && all.abort();
  await assert.rejects(generator.generate(TEXTS, { maxTokens: 100 }, all.signal), (error: Fault) => error.code === 'CANCELLED');
  // What waits behind it begins at once.
  await generator.generate([TEXTS[0] as string], { maxTokens: 100 }, undefined);
  assert.ok(steps <= 4 + 6, `${steps} steps`);
});

const [BELL, WATCHMAN, LAMP] = TEXTS as [string, string, string];

test('rows that come just too late join a batch that has only begun, which goes on where it was', async () => {
  const late: Promise<unknown>[] = [];
  const pieces: string[] = [];
  const add = (text: string) => late.push(generator.generate([text], { maxTokens: 100 }, undefined));
  onStep = () => {
    if (steps === 2) for (let row = 0; row < 4; row += 1) add(WATCHMAN);
    if (steps === 3) for (let row = 0; row < 4; row += 1) add(LAMP);
  };
  const first = await generator.generate([WATCHMAN], { maxTokens: 100 }, undefined, (_, piece) => pieces.push(piece));
  assert.deepEqual(
    await Promise.all(late),
    [...Array(4).fill(WATCHMAN), ...Array(4).fill(LAMP)].map((text) => [{ text, isCut: false }]),
  );
  assert.deepEqual([first, pieces.join('')], [[{ text: WATCHMAN, isCut: false }], WATCHMAN]);
  // Four steps alone: in the fourth nobody came. Then it waits until those that came are as far: nothing is computed twice.
  assert.deepEqual([steps, ...sizes.slice(0, 9)], [4 + LONGEST, 1, 1, 1, 1, 8, 8, 8, 8, 9]);
});

test('a batch waits once for others: those that come later wait, and whoever leaves is dropped', async () => {
  const leaving = new AbortController();
  const later: Promise<unknown>[] = [];
  const add = (text: string, signal?: AbortSignal) => later.push(Promise.allSettled([generator.generate([text], { maxTokens: 100 }, signal)]));
  onStep = () => {
    if (steps === 1) add(BELL);
    if (steps === 1) add(BELL, leaving.signal);
    if (steps === 4) leaving.abort();
    if (steps === 5) add(LAMP);
  };
  assert.deepEqual(await generator.generate([WATCHMAN], { maxTokens: 100 }, undefined), [{ text: WATCHMAN, isCut: false }]);
  const ended = ((await Promise.all(later)) as PromiseSettledResult<unknown>[][]).flat();
  assert.deepEqual(
    ended.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  // Two steps alone, two of those that came, of which one leaves, then two rows until the short one ends, then the long one; what came last begins when that has ended.
  assert.deepEqual(sizes, [1, 1, 2, 2, 2, 2, 2, 2, ...Array(LONGEST - 6).fill(1), ...Array(LAMP.split(' ').length + 2).fill(1)]);
});

test('rows that come while the first is read are read alone, and all begin together', async () => {
  const late: Promise<unknown>[] = [];
  const first = generator.generate([WATCHMAN], { maxTokens: 100 }, undefined);
  // Its batch is taken in this turn of the loop, and read in the next.
  setImmediate(() => late.push(generator.generate([LAMP, BELL], { maxTokens: 100 }, undefined)));
  assert.deepEqual(await first, [{ text: WATCHMAN, isCut: false }]);
  assert.deepEqual(await Promise.all(late), [[LAMP, BELL].map((text) => ({ text, isCut: false }))]);
  assert.deepEqual([steps, sizes[0]], [LONGEST, 3]);
});

test('rows that have ended are taken out of the batch: the others need not wait for work on them', async () => {
  await generator.generate([BELL, LAMP, WATCHMAN, WATCHMAN], { maxTokens: 100 }, undefined);
  assert.deepEqual([steps, sizes[0], sizes.at(-1)], [LONGEST, 4, 2]);
});

/** @returns what fails a step in which somebody goes on with this word */
function unable(word: string): (ids: BigInt64Array) => void {
  const unfit = BigInt(generator.tokenizer.encode(word)[0] as number);
  return (ids) => {
    if (ids.includes(unfit)) throw new Error('beyond the table');
  };
}

test('a text that the model cannot go on with fails alone; those that wrote with it are written whole', async () => {
  onStep = unable('harbour');
  const pieces = new Map<string, string>();
  const told = (text: string) => (_: number, piece: string) => void pieces.set(text, `${pieces.get(text) ?? ''}${piece}`);
  const texts = [WATCHMAN, BELL, LAMP, 'the lamp burns and the old bell rang and the lamp burns.'];
  const [failed, ...others] = await Promise.allSettled(texts.map((text) => generator.generate([text], { maxTokens: 100 }, undefined, told(text))));
  assert.ok(failed?.status === 'rejected' && (failed.reason as Fault).code === 'MODEL_FAILED');
  for (const [index, other] of others.entries()) {
    const text = texts[index + 1] as string;
    assert.deepEqual(other, { status: 'fulfilled', value: [{ text, isCut: false }] });
    assert.equal(pieces.get(text), text);
  }
});

test('nobody joins a text that is written by itself, and only those fail that cannot be written', async () => {
  const require = unable('harbour');
  const all: Promise<readonly [string, string]>[] = [];
  const add = (text: string) => {
    const outcome = generator.generate([text], { maxTokens: 100 }, undefined).then(([made]) => made?.text ?? '', String);
    all.push(outcome.then((told) => [text, told] as const));
  };
  onStep = (ids) => {
    if (steps < 12) add(steps % 2 === 0 ? WATCHMAN : LAMP);
    require(ids);
  };
  for (const text of [WATCHMAN, LAMP]) add(text);
  await all[0];
  for (const [text, outcome] of await Promise.all(all))
    if (text === LAMP) assert.equal(outcome, LAMP);
    else assert.match(outcome, /cannot run the model with this text/);
});

test('of several texts of one request nobody writes on once one has failed', async () => {
  onStep = unable('bell');
  const many = Array.from({ length: 8 }, () => WATCHMAN);
  await assert.rejects(generator.generate([BELL, ...many], { maxTokens: 100 }, undefined));
  const before = steps;
  await generator.generate([LAMP], { maxTokens: 100 }, undefined);
  assert.ok(steps - before <= LONGEST, `${steps - before} steps`);
});

test('a row that waits behind a batch is dropped as soon as its client leaves', async () => {
  const leaving = new AbortController();
  const left: Promise<number>[] = [];
  const wait = async () => {
    await assert.rejects(generator.generate([LAMP], { maxTokens: 100 }, leaving.signal), (error: Fault) => error.code === 'CANCELLED');
    return steps;
  };
  onStep = () => {
    // The batch has waited once, and waits for nobody else.
    if (steps === 1) void generator.generate([BELL], { maxTokens: 100 }, undefined);
    if (steps === 6) left.push(wait());
    if (steps === 7) leaving.abort();
  };
  await generator.generate([WATCHMAN], { maxTokens: 100 }, undefined);
  assert.equal(await left[0], 8);
});

test.run();
