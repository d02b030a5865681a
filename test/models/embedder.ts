// An embedder that nobody trained: each word has a direction, synonyms nearly the same one, and words that say little are short.
import { createHash } from 'node:crypto';
import { Graph } from './onnx.ts';
import { numbersFrom } from './phrasebook.ts';
import { FIRST_WORD } from './tokenizer.ts';

const SYNONYMS = [
  ['watchman', 'guard', 'warden', 'keeper'],
  ['storm', 'tempest', 'gale'],
  ['lamp', 'light', 'beacon'],
  ['boats', 'ships', 'vessels'],
  ['granite', 'stone', 'rock'],
  ['harbour', 'port'],
  ['mole', 'pier', 'breakwater'],
  ['king', 'monarch'],
  ['burns', 'consumes'],
] as const;
const OTHERS =
  'elias brandt called has kept old drowned broke march three fishing lost bell rang all night town rebuilt quarry kerlouan work took four years colza oil pays evening climbs steps every cat dog house book'.split(
    ' ',
  );
const SMALL =
  'a an the of in on at to is was are were it he she his her and or by for with from that this what who where when which how many did does do . , ?'.split(' ');

export const EMBEDDER_WORDS: readonly string[] = [...SYNONYMS.flat(), ...OTHERS, ...SMALL];
export const DIMENSIONS = 48;

/** Normally distributed (Box and Muller), the same for the same name. */
function direction(name: string): readonly number[] {
  const next = numbersFrom(createHash('sha256').update(name).digest().readInt32LE());
  return Array.from({ length: DIMENSIONS }, () => Math.sqrt(-2 * Math.log(next() + 1e-9)) * Math.cos(2 * Math.PI * next()));
}

export function wordTable(): Float32Array {
  const rows = EMBEDDER_WORDS.map((word) => {
    const meaning = direction(SYNONYMS.find((group) => (group as readonly string[]).includes(word))?.[0] ?? word);
    const own = direction(`only ${word}`);
    const length = SMALL.includes(word) ? 0.02 : 1;
    return meaning.map((value, axis) => length * (0.95 * value + 0.15 * (own[axis] as number)));
  });
  return Float32Array.from([...Array<number>(FIRST_WORD * DIMENSIONS).fill(0.001), ...rows.flat()]);
}

/** @param spareWords rows of the table that no word has, for a model that takes much memory */
export function embedderFile(quantised: boolean, spareWords = 0): Uint8Array {
  const graph = new Graph('embedder', { quantised });
  const shape = ['batch_size', 'sequence_length'];
  const ids = graph.input('input_ids', 'int64', shape);
  graph.input('attention_mask', 'int64', shape);
  graph.input('token_type_ids', 'int64', shape);
  const known = wordTable();
  const all = new Float32Array(known.length + spareWords * DIMENSIONS).fill(0.001);
  all.set(known);
  const words = graph.weight('words', [all.length / DIMENSIONS, DIMENSIONS], all);
  graph.op('Gather', [words, ids], {}, ['last_hidden_state']);
  graph.output('last_hidden_state', 'float', [...shape, DIMENSIONS]);
  return graph.file();
}
