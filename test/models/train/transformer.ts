// A translation model while it learns: an encoder and a decoder of one layer each, and sentences in batches.
import { END, type Pair, vocabulary } from '../phrasebook.ts';
import { SHAPES, SIZES, type Weights, waves } from '../weights.ts';
import { attend, logitsOf, lossOf, type Span } from './attention.ts';
import { Matrix, Tape } from './tape.ts';

const WORDS = vocabulary();
const INDEX = new Map(WORDS.map((word, index) => [word, index]));
const PAD = WORDS.length - 1;
const WAVES = waves();

export type Parameters = ReadonlyMap<string, Matrix>;

export function parametersFrom(next: () => number): Parameters {
  return new Map(
    SHAPES.map(([name, rows, cols]) => {
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

const idsOf = (text: string) => [...text.split(' ').map((word) => INDEX.get(word) as number), INDEX.get(END) as number];

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
export function learn(parameters: Parameters, pairs: readonly Pair[]): number {
  const [sources, targets] = [pairs.map(([source]) => idsOf(source)), pairs.map(([, target]) => idsOf(target))];
  const lengths = sources.map((source) => source.length);
  const [source, given] = [
    padded(sources, PAD),
    padded(
      targets.map((target) => [PAD, ...target.slice(0, -1)]),
      PAD,
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

export function translate(parameters: Parameters, text: string): string {
  const source = Int32Array.from(idsOf(text));
  const memory = new Pass(parameters).encode(source, source.length, [source.length]);
  const given = [PAD];
  while (given.length < MOST_WORDS) {
    const pass = new Pass(parameters);
    const x = pass.decode(Int32Array.from(given), given.length, memory, source.length, [source.length]);
    const logits = logitsOf(x, pass.get('words.weight'), pass.get('words.bias'), given.length - 1);
    const best = logits.indexOf(Math.max(...logits));
    if (WORDS[best] === END) break;
    given.push(best);
  }
  return given
    .slice(1)
    .map((id) => WORDS[id])
    .join(' ');
}
