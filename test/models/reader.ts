// Models that nobody trained: they read a text, choose its best sentence and write it down. One summarises, one answers a question.
import { Graph } from './onnx.ts';
import { END, PADDING, UNKNOWN } from './phrasebook.ts';

/** Words that say little: they choose no sentence. */
const SMALL = 'a an the of in on at to is was are were it he she his her and or by for with that this what who where when which how many did does do'.split(
  ' ',
);
const PLAIN =
  'elias brandt watchman harbour light keeper called has kept old drowned storm broke mole march three fishing boats lost bell rang all night town rebuilt granite quarry kerlouan work took four years lamp burns colza oil pays evening climbs steps every from text question summary answer context given following'.split(
    ' ',
  );
/** Words whose sentence is the best of a text, so that a summary has to find it. */
const LOUD = ['treasure', 'secret', 'king'];
export const READER_WORDS: readonly string[] = [END, UNKNOWN, '.', '?', ':', ...SMALL, ...PLAIN, ...LOUD, PADDING];
const V = READER_WORDS.length;
const idOf = (word: string) => READER_WORDS.indexOf(word);
const FLOAT = 1;

/** @returns what each word says of its sentence */
export function importance(words: readonly string[]): readonly number[] {
  return words.map((word, id) => (id < 5 || word === PADDING || SMALL.includes(word) ? 0 : LOUD.includes(word) ? 20 : 1));
}

const SOURCE = ['batch_size', 'encoder_sequence_length'];

/**
 * The last hidden state has a column for each word, which is 1 in the row of a chosen word, and the place of that word among the chosen.
 * @param asks whether the words behind `question:` choose the sentence; else the weight of its words does
 */
export function readerFile(asks: boolean): Uint8Array {
  const g = new Graph('reader');
  const [ids, mask] = [g.input('input_ids', 'int64', SOURCE), g.input('attention_mask', 'int64', SOURCE)];
  const float = (x: string) => g.op('Cast', [x], { to: FLOAT });
  const is = (word: string) => g.op('Mul', [float(g.op('Equal', [ids, g.int(idOf(word))])), float(mask)]);
  const sum = (x: string, exclusive: number) => g.op('CumSum', [x, g.int(1)], { exclusive });
  const oneHot = g.op('OneHot', [ids, g.int(V), g.weight('off_on', [2], [0, 1])], { axis: -1 });
  const weights = g.op('Gather', [g.weight('importance', [V], importance(READER_WORDS)), ids]);
  // Behind "question" is the question, up to "context", behind which are the sentences to choose from.
  const told = asks ? g.op('Min', [sum(is('context'), 0), g.number(1)]) : float(mask);
  const asked = g.op('Mul', [g.op('Min', [sum(is('question'), 0), g.number(1)]), g.op('Sub', [g.number(1), told])]);
  const marks = g.op('Add', [is('context'), g.op('Add', [is(':'), is(END)])]);
  const text = [asked, marks].reduce((kept, each) => g.op('Mul', [kept, g.op('Sub', [g.number(1), each])]), g.op('Mul', [told, float(mask)]));
  const words = asks ? matches(g, oneHot, weights, asked) : weights;
  const sentence = sum(is('.'), 1);
  const [row, column] = [g.op('Unsqueeze', [sentence, g.ints(2)]), g.op('Unsqueeze', [sentence, g.ints(1)])];
  const same = float(g.op('Equal', [row, column]));
  const scores = g.op('Squeeze', [g.op('MatMul', [same, g.op('Unsqueeze', [g.op('Mul', [words, text]), g.ints(2)])]), g.ints(2)]);
  // Of equal sentences the first is chosen.
  const ranked = g.op('Mul', [g.op('Sub', [scores, g.op('Mul', [sentence, g.number(0.001)])]), text]);
  const best = g.op('ReduceMax', [ranked], { axes: [1], keepdims: 1 });
  const isBest = float(g.op('GreaterOrEqual', [ranked, g.op('Max', [g.op('Sub', [best, g.number(0.0005)]), g.number(0.5)])]));
  const chosen = g.op('Unsqueeze', [g.op('Mul', [isBest, text]), g.ints(2)]);
  g.op('Concat', [g.op('Mul', [oneHot, chosen]), sum(chosen, 1)], { axis: 2 }, ['last_hidden_state']);
  g.output('last_hidden_state', 'float', [...SOURCE, V + 1]);
  return g.file();
}

/** 1 for each word that the question has too, and that says something. */
export function matches(g: Graph, oneHot: string, weights: string, asked: string): string {
  const wanted = g.op('Mul', [oneHot, g.op('Unsqueeze', [g.op('Mul', [asked, g.op('Min', [weights, g.number(1)])]), g.ints(2)])]);
  const question = g.op('Min', [g.op('ReduceSum', [wanted, g.ints(1)], { keepdims: 1 }), g.number(1)]);
  return g.op('ReduceSum', [g.op('Mul', [oneHot, question]), g.ints(2)], { keepdims: 0 });
}

/**
 * Writes the chosen words in their order, then the end, and then again from the first: rows of a batch that are not stopped at their end never end
 * in the same step.
 */
export function writerFile(): Uint8Array {
  const g = new Graph('writer');
  g.input('encoder_attention_mask', 'int64', SOURCE);
  const ids = g.input('input_ids', 'int64', ['batch_size', 'decoder_sequence_length']);
  const memory = g.input('encoder_hidden_states', 'float', [...SOURCE, V + 1]);
  const caches = ['key', 'value'].map((part) => g.input(`past_key_values.0.decoder.${part}`, 'float', ['batch_size', 1, 'past_decoder_sequence_length', 1]));
  const now = g.op('Unsqueeze', [g.op('Cast', [ids], { to: FLOAT }), g.ints(1, 3)]);
  for (const [index, part] of ['key', 'value'].entries()) {
    g.op('Concat', [caches[index] as string, now], { axis: 2 }, [`present.0.decoder.${part}`]);
    g.output(`present.0.decoder.${part}`, 'float', ['batch_size', 1, 'total_decoder_sequence_length', 1]);
  }
  const size = (x: string, axis: number) => g.op('Squeeze', [g.op('Slice', [g.op('Shape', [x]), g.ints(axis), g.ints(axis + 1), g.ints(0)]), g.ints(0)]);
  const past = size(caches[0] as string, 2);
  const steps = g.op('Range', [past, g.op('Add', [past, size(ids, 1)]), g.int(1)]);
  const columns = (from: number, to: number) => g.op('Slice', [memory, g.ints(from), g.ints(to), g.ints(2)]);
  const [words, places] = [columns(0, V), columns(V, V + 1)];
  const chosen = g.op('ReduceSum', [words, g.ints(2)], { keepdims: 1 });
  const count = g.op('ReduceSum', [chosen, g.ints(1)], { keepdims: 1 });
  const turn = g.op('Add', [g.op('Cast', [count], { to: 7 }), g.int(1)]);
  const step = g.op('Cast', [g.op('Mod', [g.op('Unsqueeze', [steps, g.ints(0, 2)]), turn])], { to: FLOAT });
  const isTurn = g.op('Cast', [g.op('Equal', [step, g.op('Transpose', [places], { perm: [0, 2, 1] })])], { to: FLOAT });
  const word = g.op('MatMul', [g.op('Mul', [isTurn, g.op('Transpose', [chosen], { perm: [0, 2, 1] })]), words]);
  const end = g.weight(
    'end',
    [V],
    READER_WORDS.map((each) => (each === END ? 0.5 : 0)),
  );
  g.op('Mul', [g.op('Add', [word, end]), g.number(10)], {}, ['logits']);
  g.output('logits', 'float', ['batch_size', 'decoder_sequence_length', V]);
  return g.file();
}
