// What a decoder gets and gives at each step: its inputs by name, and the keys and values that it has computed before.
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { Fault } from '../../../kernel/fault.ts';
import type { Runtime } from './session.ts';

/** What the first step gets: nothing is cached. Heads and their sizes are those of the graph. @throws Fault MODEL_FAILED */
export function emptyCaches(decoder: InferenceSession, runtime: Runtime, rows: number): Record<string, Tensor> {
  const caches: Record<string, Tensor> = {};
  for (const input of decoder.inputMetadata) {
    if (!input.isTensor || !input.name.startsWith('past_key_values.')) continue;
    const [, heads, , size] = input.shape;
    if (typeof heads !== 'number' || typeof size !== 'number')
      throw new Fault('MODEL_FAILED', { detail: `the decoder does not say the shape of ${input.name}` });
    caches[input.name] = new runtime.Tensor('float32', new Float32Array(0), [rows, heads, 0, size]);
  }
  return caches;
}

/** @returns the inputs of a graph @throws Fault MODEL_FAILED for a graph that wants others */
export function pick(tensors: Readonly<Record<string, Tensor>>, names: readonly string[]): Record<string, Tensor> {
  const unknown = names.filter((name) => !tensors[name]);
  if (unknown.length > 0) throw new Fault('MODEL_FAILED', { detail: `the model has unknown inputs: ${unknown.join(', ')}` });
  return Object.fromEntries(names.map((name) => [name, tensors[name] as Tensor]));
}

/** @param rows numbers of rows @returns the tensors with these rows alone; rows are the first dimension of all of them */
export function keepRows<T extends Readonly<Record<string, Tensor>>>(tensors: T, rows: readonly number[], runtime: Runtime): T {
  const entries = Object.entries(tensors).map(([name, { type, data, dims }]) => {
    const size = data.length / Math.max(1, dims[0] as number);
    const kept = new (data.constructor as Float32ArrayConstructor)(size * rows.length);
    for (const [at, row] of rows.entries()) kept.set((data as Float32Array).subarray(row * size, (row + 1) * size), at * size);
    return [name, new runtime.Tensor(type as 'float32', kept, [rows.length, ...dims.slice(1)])] as const;
  });
  return Object.fromEntries(entries) as unknown as T;
}

/** @returns the outputs of a step that are read; copies of the others would be made for nothing */
export function readOutputs(names: readonly string[], step: number): readonly string[] {
  return step === 0 ? names : names.filter((name) => !(name.startsWith('present.') && name.includes('.encoder.')));
}

/** What was cached of the encoder stays: later steps return nothing there. */
export function nextCaches(caches: Readonly<Record<string, Tensor>>, outputs: Readonly<Record<string, unknown>>, step: number): Record<string, Tensor> {
  const entries = Object.entries(caches).map(([name, old]) => {
    const made = outputs[name.replace('past_key_values', 'present')] as Tensor | undefined;
    return [name, made && (step === 0 || name.includes('.decoder.')) ? made : old] as const;
  });
  return Object.fromEntries(entries);
}
