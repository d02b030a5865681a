// The process of one ONNX model: native code that crashes or hangs takes nothing else with it, and its end returns all memory.
import { getPriority, setPriority } from 'node:os';
import { defineActor } from '../../../kernel/actor.ts';
import type { HostApi, HostArgs } from './api.ts';
import { Embedder } from './embedder.ts';

/** Inference yields to sign-in and keys; the threads of the runtime inherit it. */
const NICER = 10;
const NICEST = 19;
const MIB = 1_048_576;

export default defineActor<HostApi, HostArgs>(async ({ folder, weights, threads }, ctx) => {
  setPriority(Math.min(NICEST, getPriority() + NICER));
  const embedder = await Embedder.open({ folder, weights: weights[0] as string, threads });
  return {
    api: {
      memory: () => process.memoryUsage.rss() / MIB,
      async embed(texts, purpose) {
        const vectors = await embedder.embed(texts, purpose, ctx.call()?.signal);
        return { windows: vectors.map(({ length }) => length), vectors: joined(vectors.flat()) };
      },
      count: (texts) => texts.map((text) => embedder.tokenizer.encode(text).length),
      cut: (text, maxTokens) => embedder.tokenizer.cut(text, maxTokens),
    },
  };
});

function joined(vectors: readonly Float32Array[]): Float32Array {
  const size = vectors[0]?.length ?? 0;
  const all = new Float32Array(vectors.length * size);
  for (const [index, vector] of vectors.entries()) all.set(vector, index * size);
  return all;
}
