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

/** What was cached of the encoder stays: later steps return nothing there. */
export function nextCaches(caches: Readonly<Record<string, Tensor>>, outputs: Readonly<Record<string, unknown>>, step: number): Record<string, Tensor> {
  const entries = Object.entries(caches).map(([name, old]) => {
    const made = outputs[name.replace('past_key_values', 'present')] as Tensor | undefined;
    return [name, made && (step === 0 || name.includes('.decoder.')) ? made : old] as const;
  });
  return Object.fromEntries(entries);
}
