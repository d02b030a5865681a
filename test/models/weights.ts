// The weights of a translation model: which there are, and the file that holds them as 16-bit whole numbers with a scale for each matrix.
import { readFileSync, writeFileSync } from 'node:fs';
import { vocabulary } from './phrasebook.ts';

export interface Sizes {
  readonly model: number;
  readonly heads: number;
  readonly inner: number;
  readonly positions: number;
  readonly words: number;
  /** Of the encoder, and of the decoder. */
  readonly layers: number;
}
export const SIZES: Sizes = { model: 32, heads: 4, inner: 64, positions: 256, words: vocabulary().length, layers: 1 };

export interface Weight {
  readonly rows: number;
  readonly cols: number;
  readonly data: Float32Array<ArrayBuffer>;
}
export type Weights = ReadonlyMap<string, Weight>;

const matrix = (name: string, rows: number, cols: number) => [`${name}.weight`, rows, cols] as const;
const linear = (name: string, rows: number, cols: number) => [matrix(name, rows, cols), [`${name}.bias`, 1, cols] as const];
const norm = (name: string, { model: D }: Sizes) => [matrix(name, 1, D), [`${name}.bias`, 1, D] as const];
const attention = (name: string, { model: D }: Sizes) => ['query', 'key', 'value', 'out'].flatMap((part) => linear(`${name}.${part}`, D, D));
const inner = (name: string, { model: D, inner: F }: Sizes) => [...linear(`${name}.widen`, D, F), ...linear(`${name}.narrow`, F, D)];

/** The name of a layer: the first has no number. */
export const layerOf = (part: 'encoder' | 'decoder', layer: number): string => (layer === 0 ? part : `${part}${layer}`);

export type Shapes = readonly (readonly [name: string, rows: number, cols: number])[];

/** The rows of a matrix are inputs, its columns outputs. */
export function shapesOf(sizes: Sizes): Shapes {
  const layers = Array.from({ length: sizes.layers }, (_, layer) => layer);
  return [
    matrix('words', sizes.words, sizes.model),
    ['words.bias', 1, sizes.words],
    ...layers
      .map((layer) => layerOf('encoder', layer))
      .flatMap((name) => [...attention(`${name}.self`, sizes), ...norm(`${name}.norm1`, sizes), ...inner(name, sizes), ...norm(`${name}.norm2`, sizes)]),
    ...layers
      .map((layer) => layerOf('decoder', layer))
      .flatMap((name) => [
        ...[...attention(`${name}.self`, sizes), ...norm(`${name}.norm1`, sizes), ...attention(`${name}.cross`, sizes), ...norm(`${name}.norm2`, sizes)],
        ...[...inner(name, sizes), ...norm(`${name}.norm3`, sizes)],
      ]),
  ];
}

/** One layer in the encoder and one in the decoder. */
const SHAPES = shapesOf(SIZES);

const MOST = 32_767;

export function saveWeights(file: string, weights: Weights, shapes: Shapes = SHAPES): void {
  const parts = shapes.map(([name]) => {
    const { data } = weights.get(name) as Weight;
    const scale = data.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9) / MOST;
    const bytes = Buffer.alloc(4 + 2 * data.length);
    bytes.writeFloatLE(scale, 0);
    for (const [index, value] of data.entries()) bytes.writeInt16LE(Math.max(-MOST, Math.min(MOST, Math.round(value / scale))), 4 + 2 * index);
    return bytes;
  });
  writeFileSync(file, Buffer.concat(parts));
}

export function readWeights(file: URL | string, shapes: Shapes = SHAPES): Weights {
  const bytes = readFileSync(file);
  let at = 0;
  return new Map(
    shapes.map(([name, rows, cols]) => {
      const scale = bytes.readFloatLE(at);
      const start = at + 4;
      at = start + 2 * rows * cols;
      return [name, { rows, cols, data: Float32Array.from({ length: rows * cols }, (_, index) => scale * bytes.readInt16LE(start + 2 * index)) }];
    }),
  );
}

/** The sine waves that tell positions apart: the sines in the first half of a row, the cosines in the second. */
export function waves({ model: D, positions }: Sizes = SIZES): Float32Array {
  const half = D / 2;
  return Float32Array.from({ length: positions * D }, (_, k) => {
    const angle = Math.floor(k / D) / 10_000 ** ((k % half) / half);
    return k % D < half ? Math.sin(angle) : Math.cos(angle);
  });
}
