// How the hub names the weights of ONNX models.
import type { Precision } from './api.ts';

/** The ends of the names of each precision. */
export const SUFFIXES: Readonly<Record<Exclude<Precision, 'auto'>, string>> = {
  fp32: '',
  fp16: '_fp16',
  q8: '_quantized',
  int8: '_int8',
  uint8: '_uint8',
  q4: '_q4',
  q4f16: '_q4f16',
};

/** Older files that go on with a prompt are named as if they had an encoder beside them. */
export const ALONE = 'decoder_model_merged';
/** The graphs that a generating model may consist of: an encoder and a decoder, or one that goes on with a prompt. */
export const GENERATING = [['encoder_model', ALONE], ['model'], [ALONE]] as const;
