// Opens and runs ONNX Runtime sessions: from a path, with few threads that do not spin, so that the rest of the server keeps its share.
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { Fault } from '../../../kernel/fault.ts';
import { sumsExactly } from './exact-products.ts';

export type Runtime = typeof import('onnxruntime-node');

const ERRORS_ONLY = 3;

/** @throws Fault MODEL_FAILED */
export async function openSession(path: string, threads: number): Promise<{ readonly runtime: Runtime; readonly session: InferenceSession }> {
  const runtime = await load();
  try {
    // By path: from bytes it would take twice the memory.
    const session = await runtime.InferenceSession.create(path, {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      logSeverityLevel: ERRORS_ONLY,
      // Where sums of products of eight bits would be cut off, vectors would differ from machine to machine.
      extra: { session: { intra_op: { allow_spinning: '0' }, x64quantprecision: sumsExactly() ? '0' : '1' } },
    });
    return { runtime, session };
  } catch (cause) {
    throw new Fault('MODEL_FAILED', { detail: `${path.split('/').at(-1)}: ONNX Runtime cannot open it`, cause });
  }
}

/** A graph that does not fit the other files of the model, such as one with fewer words than its tokenizer, fails here. @param outputs wanted; all without it @throws Fault MODEL_FAILED */
export async function run(session: InferenceSession, inputs: Readonly<Record<string, Tensor>>, outputs = session.outputNames): Promise<Record<string, Tensor>> {
  try {
    return (await session.run(inputs, outputs)) as Record<string, Tensor>;
  } catch (cause) {
    throw new Fault('MODEL_FAILED', { detail: 'ONNX Runtime cannot run the model with this text: its files are damaged, or do not belong together', cause });
  }
}

async function load(): Promise<Runtime> {
  // Its telemetry is on by default, and is decided when it is loaded.
  if (process.env['ORT_DISABLE_TELEMETRY'] !== '1') throw new TypeError('ORT_DISABLE_TELEMETRY must be set before ONNX Runtime is loaded');
  const loaded = (await import('onnxruntime-node')) as Runtime & { default?: Runtime };
  const runtime = loaded.default ?? loaded;
  keepHalvesAsBits(runtime);
  return runtime;
}

/** Its native part (1.30) reads no Float16Array, but its first tensor decides whether numbers of 16 bits come as one where the language has it. */
function keepHalvesAsBits({ Tensor }: Runtime): void {
  const half = Object.getOwnPropertyDescriptor(globalThis, 'Float16Array');
  if (!half) return;
  Reflect.deleteProperty(globalThis, 'Float16Array');
  try {
    new Tensor('float16', new Uint16Array(0), [0]);
  } catch {
    // Others have made tensors in this process before, and it is decided. No process of a model does.
  } finally {
    Object.defineProperty(globalThis, 'Float16Array', half);
  }
}
