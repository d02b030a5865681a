// The bare use of ONNX Runtime that the embedder of documentary bases is compared with: texts that are tokens already, sorted by length, in batches of as many tokens.
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { openTokenizer } from '../../actors/model/onnx/tokenizer.ts';

const MAX_TOKENS = 512;
const MODEL_TOKENS = 256;

export interface BareEmbedding {
  /** Of the runs alone. */
  readonly ms: number;
  /** How many of the model's length the texts have. */
  readonly windows: number;
  /** By which the process grew, from before the model was loaded to where it was largest. */
  readonly MiB: number;
}

/** @param folder of all-MiniLM-L6-v2 */
export async function bareEmbedding(folder: string, texts: readonly string[], threads: number): Promise<BareEmbedding> {
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
  const { default: runtime } = (await import('onnxruntime-node')) as unknown as { default: typeof import('onnxruntime-node') };
  const before = process.memoryUsage.rss();
  let largest = before;
  const session = await runtime.InferenceSession.create(join(folder, 'onnx/model_quantized.onnx'), { intraOpNumThreads: threads, logSeverityLevel: 3 });
  const tokenizer = await openTokenizer(folder);
  const rows = texts.flatMap((text) => tokenizer.windows(text, MODEL_TOKENS)).sort((a, b) => b.length - a.length);
  const startedAt = performance.now();
  for (let at = 0; at < rows.length; ) {
    const width = rows[at]?.length ?? 0;
    const batch = rows.slice(at, at + Math.max(1, Math.floor(MAX_TOKENS / width)));
    at += batch.length;
    const [ids, mask] = [new BigInt64Array(batch.length * width), new BigInt64Array(batch.length * width)];
    for (const [index, row] of batch.entries())
      for (const [place, id] of row.entries()) {
        ids[index * width + place] = BigInt(id);
        mask[index * width + place] = 1n;
      }
    const tensor = (data: BigInt64Array) => new runtime.Tensor('int64', data, [batch.length, width]);
    await session.run({ input_ids: tensor(ids), attention_mask: tensor(mask), token_type_ids: tensor(new BigInt64Array(ids.length)) });
    largest = Math.max(largest, process.memoryUsage.rss());
  }
  const ms = performance.now() - startedAt;
  await session.release();
  return { ms, windows: rows.length, MiB: Math.round((largest - before) / 2 ** 20) };
}
