// The weights of a translation model: which there are, and the file that holds them as 16-bit whole numbers with a scale for each matrix.
import { readFileSync, writeFileSync } from 'node:fs';
import { vocabulary } from './phrasebook.ts';

export const SIZES = { model: 32, heads: 4, inner: 64, positions: 256, words: vocabulary().length } as const;

export interface Weight {
  readonly rows: number;
  readonly cols: number;
  readonly data: Float32Array<ArrayBuffer>;
}
export type Weights = ReadonlyMap<string, Weight>;

const { model: D, inner: F, words: V } = SIZES;
const matrix = (name: string, rows: number, cols: number) => [`${name}.weight`, rows, cols] as const;
const linear = (name: string, rows: number, cols: number) => [matrix(name, rows, cols), [`${name}.bias`, 1, cols] as const];
const norm = (name: string) => [matrix(name, 1, D), [`${name}.bias`, 1, D] as const];
const attention = (name: string) => ['query', 'key', 'value', 'out'].flatMap((part) => linear(`${name}.${part}`, D, D));
const inner = (name: string) => [...linear(`${name}.widen`, D, F), ...linear(`${name}.narrow`, F, D)];

/** One layer in the encoder and one in the decoder; the rows of a matrix are inputs, its columns outputs. */
export const SHAPES: readonly (readonly [name: string, rows: number, cols: number])[] = [
  matrix('words', V, D),
  ['words.bias', 1, V],
  ...attention('encoder.self'),
  ...norm('encoder.norm1'),
  ...inner('encoder'),
  ...norm('encoder.norm2'),
  ...attention('decoder.self'),
  ...norm('decoder.norm1'),
  ...attention('decoder.cross'),
  ...norm('decoder.norm2'),
  ...inner('decoder'),
  ...norm('decoder.norm3'),
];

const MOST = 32_767;

export function saveWeights(file: string, weights: Weights): void {
  const parts = SHAPES.map(([name]) => {
    const { data } = weights.get(name) as Weight;
    const scale = data.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9) / MOST;
    const bytes = Buffer.alloc(4 + 2 * data.length);
    bytes.writeFloatLE(scale, 0);
    for (const [index, value] of data.entries()) bytes.writeInt16LE(Math.max(-MOST, Math.min(MOST, Math.round(value / scale))), 4 + 2 * index);
    return bytes;
  });
  writeFileSync(file, Buffer.concat(parts));
}

export function readWeights(file: URL | string): Weights {
  const bytes = readFileSync(file);
  let at = 0;
  return new Map(
    SHAPES.map(([name, rows, cols]) => {
      const scale = bytes.readFloatLE(at);
      const start = at + 4;
      at = start + 2 * rows * cols;
      return [name, { rows, cols, data: Float32Array.from({ length: rows * cols }, (_, index) => scale * bytes.readInt16LE(start + 2 * index)) }];
    }),
  );
}

/** The sine waves that tell positions apart: the sines in the first half of a row, the cosines in the second. */
export function waves(): Float32Array {
  const half = D / 2;
  return Float32Array.from({ length: SIZES.positions * D }, (_, k) => {
    const angle = Math.floor(k / D) / 10_000 ** ((k % half) / half);
    return k % D < half ? Math.sin(angle) : Math.cos(angle);
  });
}
