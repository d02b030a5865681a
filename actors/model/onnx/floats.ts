// Reads the numbers of a tensor as 32-bit floats: models may give them with 16 bits.
import type { Tensor } from 'onnxruntime-node';
import { Fault } from '../../../kernel/fault.ts';

/** Of a row alone: the others that share its batch may have numbers. */
export function notNumbers(): Fault {
  return new Fault('MODEL_FAILED', { detail: 'the model computes what is no number (NaN): its weights are damaged, or are not precise enough for this text' });
}

/** @param from @param to as of `subarray` @returns a view where no number needs to be converted @throws Fault MODEL_FAILED for numbers of another kind */
export function floatsIn({ type, data }: Pick<Tensor, 'type' | 'data'>, from = 0, to: number = data.length): Float32Array {
  if (data instanceof Float32Array) return data.subarray(from, to);
  if (type !== 'float16') throw new Fault('MODEL_FAILED', { detail: `the model gives ${type} where float32 and float16 are supported` });
  const { buffer, byteOffset } = data as Uint16Array;
  return new Float32Array(new Float16Array(buffer, byteOffset + from * Uint16Array.BYTES_PER_ELEMENT, to - from));
}
