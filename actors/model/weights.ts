// Finds the weights of an ONNX model in its folder, and says what is missing.
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { ModelSpec, ModelTask } from './api.ts';
import { sizeOf } from './manifest.ts';
import { ALONE, GENERATING, SUFFIXES } from './weight-names.ts';

const AUTO = ['fp32', 'q8', 'int8', 'uint8', 'q4', 'q4f16', 'fp16'] as const;
/** Matrix instructions work on int8. */
const AUTO_MATRIX = ['q8', 'int8', 'uint8', 'fp32', 'q4', 'q4f16', 'fp16'] as const;

/** The graphs that an embedder consists of. */
const EMBEDDING = [['model']] as const;
/** As the hub has them, and as they come out of the tool that makes them. */
const FOLDERS = ['onnx/', ''] as const;
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
    for (const parts of partsOf(task))
      for (const beside of FOLDERS) {
        const paths = parts.map((part) => `${beside}${part}${SUFFIXES[each]}.onnx`);
        const sizes = await Promise.all(paths.map((path) => sizeOf(join(folder, path))));
        if (sizes.every((size) => size !== undefined) && (parts[0] !== ALONE || !(await hasEncoder(join(folder, beside))))) return paths;
      }
  return undefined;
}

async function hasEncoder(folder: string): Promise<boolean> {
  return (await readdir(folder)).some((file) => file.startsWith('encoder_model'));
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
  for (const path of weights) {
    const [beside, name] = [join(folder, dirname(path)), basename(path)];
    // Large ones lie in files beside the graph: `model.onnx_data`, `model.onnx_data_1` and so on.
    const parts = (await readdir(beside).catch(() => [])).filter((file) => file === name || file.startsWith(`${name}_data`) || file === `${name}.data`);
    for (const part of parts) bytes += (await sizeOf(join(beside, part))) ?? 0;
  }
  return (bytes / MIB) * FACTOR + PROCESS_MB;
}

/** Of x86 processors: AMX for int8. */
async function hasMatrixInstructions(): Promise<boolean> {
  return /\bamx_int8\b/.test(await readFile('/proc/cpuinfo', 'utf8').catch(() => ''));
}
