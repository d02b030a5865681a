// The bare use of ONNX Runtime that generating models are compared with: one batch of rows of one length, which are tokens already, written to the end.
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { InferenceSession, Tensor } from 'onnxruntime-node';

const NICE = 10;

export interface BareGenerator {
  /** @returns milliseconds */
  write(rows: number, length: number, tokens: number): Promise<number>;
  close(): Promise<void>;
}

/** @param folder of a model with a merged decoder */
export async function openBare(folder: string, threads: number): Promise<BareGenerator> {
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
  const { default: runtime } = (await import('onnxruntime-node')) as unknown as { default: typeof import('onnxruntime-node') };
  // As the processes of models run.
  setPriority(NICE);
  const open = (name: string) => runtime.InferenceSession.create(join(folder, 'onnx', name), { intraOpNumThreads: threads, logSeverityLevel: 3 });
  const [encoder, decoder] = [await open('encoder_model.onnx'), await open('decoder_model_merged.onnx')];
  const numbers = (values: readonly number[], dims: readonly number[]) => new runtime.Tensor('int64', BigInt64Array.from(values, BigInt), [...dims]);
  return {
    async write(rows, length, tokens) {
      const beganAt = performance.now();
      const mask = numbers(Array(rows * length).fill(1), [rows, length]);
      const source = numbers(
        Array.from({ length: rows * length }, (_, at) => 2 + at),
        [rows, length],
      );
      const memory = (await encoder.run({ input_ids: source, attention_mask: mask }))['last_hidden_state'] as Tensor;
      let caches = emptyCaches(decoder, rows, (dims) => new runtime.Tensor('float32', new Float32Array(0), [...dims]));
      let last: number[] = Array(rows).fill(2);
      for (let step = 0; step < tokens; step += 1) {
        const useCache = new runtime.Tensor('bool', Uint8Array.of(step === 0 ? 0 : 1), [1]);
        const fixed = { encoder_attention_mask: mask, encoder_hidden_states: memory, input_ids: numbers(last, [rows, 1]), use_cache_branch: useCache };
        // What the encoder said stays: it would be copied at each step.
        const read = step === 0 ? decoder.outputNames : decoder.outputNames.filter((name) => !name.includes('.encoder.'));
        const { logits, ...present } = await decoder.run({ ...fixed, ...caches }, read);
        caches = Object.fromEntries(
          Object.entries(caches).map(([name, old]) => {
            const made = present[name.replace('past_key_values', 'present')] as Tensor;
            return [name, step === 0 || name.includes('.decoder.') ? made : old];
          }),
        );
        last = likeliest(logits as Tensor, rows);
      }
      return performance.now() - beganAt;
    },
    async close() {
      await Promise.all([encoder.release(), decoder.release()]);
    },
  };
}

function emptyCaches({ inputMetadata }: InferenceSession, rows: number, empty: (dims: readonly number[]) => Tensor): Record<string, Tensor> {
  const caches = inputMetadata.flatMap((input) => {
    if (!input.isTensor || !input.name.startsWith('past_key_values.')) return [];
    const [, heads, , size] = input.shape;
    return [[input.name, empty([rows, heads as number, 0, size as number])] as const];
  });
  return Object.fromEntries(caches);
}

function likeliest({ data }: Tensor, rows: number): number[] {
  const scores = data as Float32Array;
  const words = scores.length / rows;
  return Array.from({ length: rows }, (_, row) => {
    let best = 2;
    let most = Number.NEGATIVE_INFINITY;
    for (let word = 2; word < words - 1; word += 1) {
      const score = scores[row * words + word] as number;
      if (score > most) {
        most = score;
        best = word;
      }
    }
    return best;
  });
}
