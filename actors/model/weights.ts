// Finds the weights of an ONNX model in its folder, and says what is missing.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ModelSpec, ModelTask, Precision } from './api.ts';
import { sizeOf } from './manifest.ts';

/** How the hub names weights of each precision. */
const SUFFIXES: Readonly<Record<Exclude<Precision, 'auto'>, string>> = { fp32: '', fp16: '_fp16', q8: '_quantized', int8: '_int8', uint8: '_uint8', q4: '_q4' };
const AUTO = ['fp32', 'q8', 'int8', 'uint8', 'q4', 'fp16'] as const;
/** Matrix instructions work on int8. */
const AUTO_MATRIX = ['q8', 'int8', 'uint8', 'fp32', 'q4', 'fp16'] as const;

/** The graphs that a model of each task may consist of: a generating one of an encoder and a decoder, or of one that goes on with a prompt. */
const EMBEDDING = [['model']] as const;
const GENERATING = [['encoder_model', 'decoder_model_merged'], ['model']] as const;
const partsOf = (task: ModelTask): readonly (readonly string[])[] => (task === 'embedding' ? EMBEDDING : GENERATING);
const FILES = ['config.json', 'tokenizer.json'];
const MIB = 1_048_576;
/** What a process takes without a model. */
const PROCESS_MB = 100;
/** Memory for each byte of weights: the runtime packs them anew. */
const FACTOR = 1.2;

/** @returns the paths of the graphs in the folder; undefined if there are none of this precision */
export async function weightsOf({ folder, task, precision }: ModelSpec, useMatrixAcceleration: boolean): Promise<readonly string[] | undefined> {
  const wanted = precision === 'auto' ? (useMatrixAcceleration && (await hasMatrixInstructions()) ? AUTO_MATRIX : AUTO) : [precision];
  for (const each of wanted)
    for (const parts of partsOf(task)) {
      const paths = parts.map((part) => `onnx/${part}${SUFFIXES[each]}.onnx`);
      const sizes = await Promise.all(paths.map((path) => sizeOf(join(folder, path))));
      if (sizes.every((size) => size !== undefined)) return paths;
    }
  return undefined;
}

/** @returns what must be there before it can be loaded, each with what to do */
export async function missingOf(model: ModelSpec, useMatrixAcceleration: boolean): Promise<string[]> {
  if (model.engine === 'http') return [];
  const absent: string[] = [];
  for (const file of FILES) if ((await sizeOf(join(model.folder, file))) === undefined) absent.push(file);
  if (!(await weightsOf(model, useMatrixAcceleration)))
    absent.push(
      partsOf(model.task)
        .map((parts) => parts.map((part) => `onnx/${part}${model.precision === 'auto' ? '' : SUFFIXES[model.precision]}.onnx`).join(' and '))
        .join(', or '),
    );
  return [
    ...(isRuntimeInstalled() ? [] : ['the package onnxruntime-node is not installed: run npm install']),
    ...(absent.length === 0 ? [] : [`its folder lacks ${absent.join(', ')}`]),
  ];
}

/** npm leaves the package out where it cannot be installed. */
function isRuntimeInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve('onnxruntime-node');
    return true;
  } catch {
    return false;
  }
}

/** @returns MiB that the loaded model will take, about */
export async function memoryOf(folder: string, weights: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const path of weights) bytes += ((await sizeOf(join(folder, path))) ?? 0) + ((await sizeOf(join(folder, `${path}_data`))) ?? 0);
  return (bytes / MIB) * FACTOR + PROCESS_MB;
}

/** Of x86 processors: AMX for int8. */
export async function hasMatrixInstructions(): Promise<boolean> {
  return /\bamx_int8\b/.test(await readFile('/proc/cpuinfo', 'utf8').catch(() => ''));
}
