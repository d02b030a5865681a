// A model for chats that nobody trained: it goes on with a prompt by writing the sentence of the user's text that answers the question, or the best one if there is none.
import { Graph } from './onnx.ts';
import { END, PADDING } from './phrasebook.ts';
import { importance, matches, READER_WORDS } from './reader.ts';

export const ROLES = ['<|system|>', '<|user|>', '<|assistant|>'] as const;
export const TALKER_WORDS: readonly string[] = [...READER_WORDS.slice(0, -1), ...ROLES, PADDING];
export const CHAT_TEMPLATE =
  "{% for message in messages %}<|{{ message['role'] }}|> {{ message['content'] }} {{ eos_token }} {% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}";
const V = TALKER_WORDS.length;
const [FLOAT, INT, HALF] = [1, 7, 10];

const NOW = ['batch_size', 'sequence_length'];
const PAST = ['batch_size', 1, 'past_sequence_length', 1];

/**
 * Its caches hold the tokens and their positions; what it says depends on all of them, and on the mask: with a wrong cache, position or mask it says
 * something else. The first step after the mark of the assistant writes the first of the chosen words, and so on.
 * @param isHalf whether caches and scores have 16 bits, as the hub has them in files for graphics cards; words and positions are whole numbers below 2048
 */
export function talkerFile(isHalf = false): Uint8Array {
  const type = isHalf ? 'float16' : 'float';
  const g = new Graph('talker');
  const float = (x: string) => g.op('Cast', [x], { to: FLOAT });
  const kept = (x: string) => g.op('Cast', [x], { to: isHalf ? HALF : FLOAT });
  const ids = g.input('input_ids', 'int64', NOW);
  const mask = float(g.input('attention_mask', 'int64', ['batch_size', 'total_sequence_length']));
  const positions = g.input('position_ids', 'int64', NOW);
  const all = ['key', 'value'].map((part, index) => {
    const past = g.input(`past_key_values.0.${part}`, type, PAST);
    const now = g.op('Unsqueeze', [kept(index === 0 ? ids : positions), g.ints(1, 3)]);
    g.op('Concat', [past, now], { axis: 2 }, [`present.0.${part}`]);
    g.output(`present.0.${part}`, type, ['batch_size', 1, 'total_sequence_length', 1]);
    const all = g.op('Squeeze', [`present.0.${part}`, g.ints(1, 3)]);
    return isHalf ? float(all) : all;
  });
  const tokens = g.op('Cast', [all[0] as string], { to: INT });
  const is = (word: string, within: string) => g.op('Mul', [float(g.op('Equal', [tokens, g.int(TALKER_WORDS.indexOf(word))])), within]);
  const oneHot = g.op('OneHot', [tokens, g.int(V), g.weight('off_on', [2], [0, 1])], { axis: -1 });
  const chosen = chosenWords(g, { tokens, mask, oneHot, is });
  const places = g.op('CumSum', [chosen, g.int(1)], { exclusive: 1 });
  // Counted by positions, not by columns: before the shorter prompts of a batch is padding.
  const mark = g.op('ReduceSum', [g.op('Mul', [is('<|assistant|>', mask), all[1] as string]), g.ints(1)], { keepdims: 1 });
  const steps = g.op('Unsqueeze', [g.op('Sub', [float(positions), mark]), g.ints(2)]);
  const isTurn = g.op('Mul', [float(g.op('Equal', [steps, g.op('Unsqueeze', [places, g.ints(1)])])), g.op('Unsqueeze', [chosen, g.ints(1)])]);
  const words = g.op('Add', [g.op('MatMul', [isTurn, oneHot]), g.weight('end', [V], only(END, 0.5))]);
  const scores = [g.op('Add', [words, confusion(g, mask, float(positions))]), g.number(10)];
  if (isHalf) g.op('Cast', [g.op('Mul', scores)], { to: HALF }, ['logits']);
  else g.op('Mul', scores, {}, ['logits']);
  g.output('logits', type, [...NOW, V]);
  return g.file();
}

const only = (word: string, value: number) => TALKER_WORDS.map((each) => (each === word ? value : 0));

interface Read {
  readonly tokens: string;
  readonly mask: string;
  readonly oneHot: string;
  is(word: string, within: string): string;
}

/** @returns 1 at each word of the chosen sentence, which is in what the user has said last */
function chosenWords(g: Graph, { tokens, mask, oneHot, is }: Read): string {
  const float = (x: string) => g.op('Cast', [x], { to: FLOAT });
  const sum = (x: string, exclusive: number) => g.op('CumSum', [x, g.int(1)], { exclusive });
  const since = (word: string, within: string) => g.op('Min', [sum(is(word, within), 0), g.number(1)]);
  const not = (x: string) => g.op('Sub', [g.number(1), x]);
  const both = (...xs: readonly string[]) => xs.reduce((all, each) => g.op('Mul', [all, each]));
  const said = both(since('<|user|>', mask), not(since('<|assistant|>', mask)), mask);
  const [question, context] = [since('question', said), since('context', said)];
  const asks = g.op('ReduceMax', [is('question', said)], { axes: [1], keepdims: 1 });
  const asked = both(question, not(context), said);
  const marks = ['context', ':', END, '<|user|>'].map((word) => is(word, said)).reduce((all, each) => g.op('Add', [all, each]));
  const told = g.op('Add', [both(asks, context), not(asks)]);
  const text = both(told, not(asked), not(marks), said);
  const weights = g.op('Gather', [g.weight('importance', [V], importance(TALKER_WORDS)), tokens]);
  const worth = g.op('Add', [both(asks, matches(g, oneHot, weights, asked)), both(not(asks), weights)]);
  const sentence = sum(is('.', said), 1);
  const same = float(g.op('Equal', [g.op('Unsqueeze', [sentence, g.ints(2)]), g.op('Unsqueeze', [sentence, g.ints(1)])]));
  const scores = g.op('Squeeze', [g.op('MatMul', [same, g.op('Unsqueeze', [both(worth, text), g.ints(2)])]), g.ints(2)]);
  // Of equal sentences the first is chosen.
  const ranked = both(g.op('Sub', [scores, both(sentence, g.number(0.001))]), text);
  const best = g.op('ReduceMax', [ranked], { axes: [1], keepdims: 1 });
  const isBest = float(g.op('GreaterOrEqual', [ranked, g.op('Max', [g.op('Sub', [best, g.number(0.0005)]), g.number(0.5)])]));
  return both(isBest, text);
}

/** @returns scores of a full stop if the mask does not show as many tokens as there are positions */
function confusion(g: Graph, mask: string, positions: string): string {
  const count = g.op('ReduceSum', [mask, g.ints(1)], { keepdims: 1 });
  const last = g.op('ReduceMax', [positions], { axes: [1], keepdims: 1 });
  const wrong = g.op('Min', [g.op('Abs', [g.op('Sub', [count, g.op('Add', [last, g.number(1)])])]), g.number(1)]);
  return g.op('Mul', [g.op('Unsqueeze', [wrong, g.ints(2)]), g.weight('confused', [V], only('.', 5))]);
}
