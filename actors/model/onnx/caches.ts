// Tensors that go from one step of a decoder to the next: the keys and values that it has computed before. Their first dimension are the places of a batch.
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { Fault } from '../../../kernel/fault.ts';
import { floatsIn } from './floats.ts';
import type { Runtime } from './session.ts';

type Tensors = Readonly<Record<string, Tensor>>;

/** Its kind differs with the tensor; only whole numbers of elements are moved. */
type Data = Float32Array;

/** What the first step gets: nothing is cached. Heads and their sizes are those of the graph. @throws Fault MODEL_FAILED */
export function emptyCaches(decoder: InferenceSession, runtime: Runtime, places: number): Record<string, Tensor> {
  const caches: Record<string, Tensor> = {};
  for (const input of decoder.inputMetadata) {
    if (!input.isTensor || !input.name.startsWith('past_key_values.')) continue;
    const [, heads, , size] = input.shape;
    if (typeof heads !== 'number' || typeof size !== 'number')
      throw new Fault('MODEL_FAILED', { detail: `the decoder does not say the shape of ${input.name}` });
    if (input.type !== 'float32' && input.type !== 'float16')
      throw new Fault('MODEL_FAILED', { detail: `the decoder keeps ${input.type} in ${input.name}; float32 and float16 are supported` });
    const none = input.type === 'float16' ? new Uint16Array(0) : new Float32Array(0);
    caches[input.name] = new runtime.Tensor(input.type as 'float32', none as Float32Array, [places, heads, 0, size]);
  }
  return caches;
}

/** @returns the inputs of a graph @throws Fault MODEL_FAILED for a graph that wants others */
export function pick(tensors: Tensors, names: readonly string[]): Record<string, Tensor> {
  const unknown = names.filter((name) => !tensors[name]);
  if (unknown.length > 0) throw new Fault('MODEL_FAILED', { detail: `the model has unknown inputs: ${unknown.join(', ')}` });
  return Object.fromEntries(names.map((name) => [name, tensors[name] as Tensor]));
}

/** @returns what tensors have in these places */
export function keepPlaces<T extends Tensors>(tensors: T, places: readonly number[], runtime: Runtime): T {
  return mapped(tensors, ({ type, data, dims }) => {
    const size = data.length / Math.max(1, dims[0] as number);
    const kept = like(data as Data, size * places.length);
    for (const [at, place] of places.entries()) kept.set((data as Data).subarray(place * size, (place + 1) * size), at * size);
    return new runtime.Tensor(type as 'float32', kept, [places.length, ...dims.slice(1)]);
  });
}

/**
 * @returns the places of both, one after the other
 * @param axis the dimension in which they may differ: the shorter ones are filled with zeros, which a mask must hide
 * @param at where the zeros go
 */
export function joinPlaces<T extends Tensors>(first: T, second: T, { axis, at }: { axis: number; at: 'start' | 'end' }, runtime: Runtime): T {
  return mapped(first, (one, name) => {
    const other = second[name] as Tensor;
    const width = Math.max(one.dims[axis] as number, other.dims[axis] as number);
    const [a, b] = [widened(one, axis, width, at), widened(other, axis, width, at)];
    const all = like(a, a.length + b.length);
    all.set(a);
    all.set(b, a.length);
    const dims = one.dims.map((size, dimension) => (dimension === 0 ? size + (other.dims[0] as number) : dimension === axis ? width : size));
    return new runtime.Tensor(one.type as 'float32', all, dims);
  });
}

function widened({ data, dims }: Tensor, axis: number, width: number, at: 'start' | 'end'): Data {
  const old = dims[axis] as number;
  if (old === width) return data as Data;
  const product = (sizes: readonly number[]) => sizes.reduce((all, size) => all * size, 1);
  const [blocks, size] = [product(dims.slice(0, axis)), product(dims.slice(axis + 1))];
  const wide = like(data as Data, blocks * width * size);
  const offset = at === 'start' ? (width - old) * size : 0;
  for (let block = 0; block < blocks; block++) wide.set((data as Data).subarray(block * old * size, (block + 1) * old * size), block * width * size + offset);
  return wide;
}

/** @returns the caches that a step has made; those that it did not make stay */
export function nextCaches(caches: Tensors, outputs: Tensors): Record<string, Tensor> {
  return mapped(caches, (old, name) => outputs[name.replace('past_key_values', 'present')] ?? old);
}

/** @param outputs of a step @returns for each place the scores at its last token @throws Fault MODEL_FAILED */
export function scoresIn({ logits }: Tensors): Float32Array[] {
  if (!logits) throw new Fault('MODEL_FAILED', { detail: 'the model gives no scores of words: it has no output logits' });
  const [places = 0, tokens = 0, words = 0] = logits.dims;
  return Array.from({ length: places }, (_, place) => floatsIn(logits, ((place + 1) * tokens - 1) * words, (place + 1) * tokens * words));
}

function mapped<T extends Tensors>(tensors: T, made: (tensor: Tensor, name: string) => Tensor): T {
  return Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, made(tensor, name)])) as T;
}

function like(data: Data, length: number): Data {
  return new (data.constructor as Float32ArrayConstructor)(length);
}
