// The process of one ONNX model: native code that crashes or hangs takes nothing else with it, and its end returns all memory.
import { getPriority, setPriority } from 'node:os';
import { defineActor } from '../../../kernel/actor.ts';
import { Fault } from '../../../kernel/fault.ts';
import { PieceKeeper } from '../pieces.ts';
import type { HostApi, HostArgs } from './api.ts';
import { Embedder } from './embedder.ts';
import { Generator } from './generator.ts';
import { eachInSlices } from './steps.ts';

/** Inference yields to sign-in and keys; the threads of the runtime inherit it. */
const NICER = 10;
const NICEST = 19;
const MIB = 1_048_576;

export default defineActor<HostApi, HostArgs>(async ({ folder, task, weights, threads, beams }, ctx) => {
  setPriority(Math.min(NICEST, getPriority() + NICER));
  const isEmbedder = task === 'embedding';
  const embedder = isEmbedder ? await Embedder.open({ folder, weights: weights[0] as string, threads }) : undefined;
  const generator = isEmbedder ? undefined : await Generator.open({ folder, weights, threads, beams, task });
  const { tokenizer } = (embedder ?? generator) as Embedder | Generator;
  const keeper = new PieceKeeper(ctx.clock);
  return {
    api: {
      memory: () => process.memoryUsage.rss() / MIB,
      async embed(texts, purpose) {
        if (!embedder) throw new Fault('MODEL_NOT_INSTALLED', { detail: 'the model is not for embedding' });
        const vectors = await embedder.embed(texts, purpose, ctx.call()?.signal);
        return { windows: vectors.map(({ length }) => length), vectors: joined(vectors.flat()) };
      },
      generate(inputs, request, ticket) {
        if (!generator) throw new Fault('MODEL_NOT_INSTALLED', { detail: 'the model is for embedding' });
        const signal = ctx.call()?.signal;
        return keeper.write(ticket, (onText) => generator.generate(inputs, request, signal, onText));
      },
      pieces: (ticket) => keeper.read(ticket),
      count: (texts) => texts.map((text) => tokenizer.encode(text).length),
      cut(texts, maxTokens) {
        const most = Math.min(maxTokens, generator?.room ?? maxTokens);
        return eachInSlices(
          texts.map((text) => tokenizer.cutting(text, most)),
          ctx.call()?.signal,
        );
      },
    },
  };
});

function joined(vectors: readonly Float32Array[]): Float32Array {
  const size = vectors[0]?.length ?? 0;
  const all = new Float32Array(vectors.length * size);
  for (const [index, vector] of vectors.entries()) all.set(vector, index * size);
  return all;
}
