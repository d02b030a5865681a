// A translation model while it learns: an encoder and a decoder of one layer each, and sentences in batches.
import { END, PADDING, type Pair, vocabulary } from '../phrasebook.ts';
import { type Shapes, SIZES, type Weights, waves } from '../weights.ts';
import { attend, logitsOf, lossOf, type Span } from './attention.ts';
import { Matrix, Tape } from './tape.ts';

const WAVES = waves();

/** The words of a model, and the one that begins every output. */
export class Lexicon {
  readonly words: readonly string[];
  readonly start: number;
  readonly #index: ReadonlyMap<string, number>;

  constructor(words: readonly string[], start: string) {
    this.words = words;
    this.#index = new Map(words.map((word, index) => [word, index]));
    this.start = this.#index.get(start) as number;
  }

  get padding(): number {
    return this.words.length - 1;
  }

  ids(text: string): number[] {
    return text.split(' ').map((word) => this.#index.get(word) as number);
  }
}

/** Of the models for one pair: the padding begins every output. */
export const PAIR_LEXICON: Lexicon = new Lexicon(vocabulary(), PADDING);

export type Parameters = ReadonlyMap<string, Matrix>;

export function parametersFrom(next: () => number, shapes: Shapes): Parameters {
  return new Map(
    shapes.map(([name, rows, cols]) => {
      const isNorm = /norm\d\.weight$/.test(name);
      const reach = name === 'words.weight' ? Math.sqrt(3 / SIZES.model) : Math.sqrt(6 / (rows + cols));
      const first = () => (isNorm ? 1 : name.endsWith('.bias') ? 0 : (2 * next() - 1) * reach);
      return [name, new Matrix(rows, cols, Float32Array.from({ length: rows * cols }, first))];
    }),
  );
}

export function parametersOf(weights: Weights): Parameters {
  return new Map([...weights].map(([name, { rows, cols, data }]) => [name, new Matrix(rows, cols, data)]));
}

const ended = (lexicon: Lexicon, text: string) => lexicon.ids(`${text} ${END}`);

function padded(rows: readonly (readonly number[])[], fill: number): { readonly ids: Int32Array; readonly length: number } {
  const length = Math.max(...rows.map((row) => row.length));
  return { ids: Int32Array.from(rows.flatMap((row) => [...row, ...Array<number>(length - row.length).fill(fill)])), length };
}

class Pass {
  readonly tape = new Tape();
  readonly #of: Parameters;

  constructor(parameters: Parameters) {
    this.#of = parameters;
  }

  get(name: string): Matrix {
    return this.#of.get(name) as Matrix;
  }
  linear(x: Matrix, name: string): Matrix {
    return this.tape.linear(x, this.get(`${name}.weight`), this.get(`${name}.bias`));
  }
  /** What was added to x, then normalised. */
  join(x: Matrix, more: Matrix, norm: string): Matrix {
    return this.tape.layerNorm(this.tape.add(x, more), this.get(`${norm}.weight`), this.get(`${norm}.bias`));
  }
  attention(x: Matrix, from: Matrix, name: string, span: Span): Matrix {
    const [q, k, v] = [this.linear(x, `${name}.query`), this.linear(from, `${name}.key`), this.linear(from, `${name}.value`)];
    return this.linear(attend(this.tape, q, k, v, span), `${name}.out`);
  }
  inner(x: Matrix, name: string): Matrix {
    return this.linear(this.tape.silu(this.linear(x, `${name}.widen`)), `${name}.narrow`);
  }

  encode(ids: Int32Array, length: number, lengths: readonly number[]): Matrix {
    const span = { batch: lengths.length, heads: SIZES.heads, queries: length, keys: length, seen: (sequence: number) => lengths[sequence] as number };
    const x = this.tape.embed(ids, length, this.get('words.weight'), WAVES);
    const seen = this.join(x, this.attention(x, x, 'encoder.self', span), 'encoder.norm1');
    return this.join(seen, this.inner(seen, 'encoder'), 'encoder.norm2');
  }

  decode(ids: Int32Array, length: number, memory: Matrix, sourceLength: number, lengths: readonly number[]): Matrix {
    const shape = { batch: lengths.length, heads: SIZES.heads, queries: length };
    const x = this.tape.embed(ids, length, this.get('words.weight'), WAVES);
    const past = { ...shape, keys: length, seen: (_: number, query: number) => query + 1 };
    const own = this.join(x, this.attention(x, x, 'decoder.self', past), 'decoder.norm1');
    const source = { ...shape, keys: sourceLength, seen: (sequence: number) => lengths[sequence] as number };
    const both = this.join(own, this.attention(own, memory, 'decoder.cross', source), 'decoder.norm2');
    return this.join(both, this.inner(both, 'decoder'), 'decoder.norm3');
  }
}

/** Adds the gradients of one batch to the parameters. @returns the loss */
export function learn(parameters: Parameters, pairs: readonly Pair[], lexicon: Lexicon): number {
  const [sources, targets] = [pairs.map(([source]) => ended(lexicon, source)), pairs.map(([, target]) => ended(lexicon, target))];
  const lengths = sources.map((source) => source.length);
  const [source, given] = [
    padded(sources, lexicon.padding),
    padded(
      targets.map((target) => [lexicon.start, ...target.slice(0, -1)]),
      lexicon.padding,
    ),
  ];
  const pass = new Pass(parameters);
  const memory = pass.encode(source.ids, source.length, lengths);
  const x = pass.decode(given.ids, given.length, memory, source.length, lengths);
  const loss = lossOf(x, pass.get('words.weight'), pass.get('words.bias'), padded(targets, -1).ids);
  pass.tape.backward();
  return loss;
}

const MOST_WORDS = 48;

/** @param first word of the output that is given, not chosen */
export function translate(parameters: Parameters, text: string, lexicon: Lexicon, first?: string): string {
  const source = Int32Array.from(ended(lexicon, text));
  const memory = new Pass(parameters).encode(source, source.length, [source.length]);
  const begin = [lexicon.start, ...(first === undefined ? [] : lexicon.ids(first))];
  const given = [...begin];
  while (given.length < MOST_WORDS) {
    const pass = new Pass(parameters);
    const x = pass.decode(Int32Array.from(given), given.length, memory, source.length, [source.length]);
    const logits = logitsOf(x, pass.get('words.weight'), pass.get('words.bias'), given.length - 1);
    const best = logits.indexOf(Math.max(...logits));
    if (lexicon.words[best] === END) break;
    given.push(best);
  }
  return given
    .slice(begin.length)
    .map((id) => lexicon.words[id])
    .join(' ');
}
