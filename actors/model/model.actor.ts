// Owns the language models: each is loaded when it is first used, into a process of its own or on a server elsewhere.
import { defineActor } from '../../kernel/actor.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Embedded, Generation, ModelApi, ModelArgs } from './api.ts';
import type { Engine } from './engine.ts';
import { openHttp } from './http/http-engine.ts';
import { LoadedMemory } from './loaded-memory.ts';
import { revisionOf } from './manifest.ts';
import { Model } from './model.ts';
import { embedderRevisionOf } from './onnx/embedding-settings.ts';
import { openOnnx } from './onnx/onnx-engine.ts';
import { PieceKeeper } from './pieces.ts';
import { tracedRun } from './traced-run.ts';
import { memoryOf, missingOf, weightsOf } from './weights.ts';

/** Crashes of the process of a model, and how long it is left alone after too many, or after it could not be loaded. */
const LIMITS = { maxCrashes: 3, withinMs: 300_000, cooldownMs: 30_000 };
/** Few run at a time, so that callers take turns; as many as share a batch of the engine: one more would have to wait for all of it. */
const TURNS = { maxRunning: 16, maxWaiting: 256, maxWaitingOfOne: 64 };

export default defineActor<ModelApi, ModelArgs>(({ models: specs, maxMemoryMb, keepAliveMs, threads, useMatrixAcceleration }, { clock, log, call }) => {
  const memory = new LoadedMemory(maxMemoryMb);
  const around = {
    ...{ clock, log, threads, useMatrixAcceleration, memory },
    open: (spec, surroundings) => (spec.engine === 'http' ? openHttp : openOnnx)(spec, surroundings),
    estimate: async (spec) => (spec.engine === 'http' ? 0 : memoryOf(spec.folder, (await weightsOf(spec, useMatrixAcceleration)) ?? [])),
    // A server elsewhere says no more of a model than its name.
    revision: async (spec) => (spec.engine === 'http' ? spec.model : (spec.task === 'embedding' ? embedderRevisionOf : revisionOf)(spec.folder)),
    missing: (spec) => missingOf(spec, useMatrixAcceleration),
    limits: { ...LIMITS, keepAliveMs },
    turns: TURNS,
  } satisfies ConstructorParameters<typeof Model>[1];
  const models = new Map(specs.map((spec) => [spec.id, new Model(spec, around)]));
  const keeper = new PieceKeeper(clock);
  const at = (id: string) => models.get(id) ?? unknownModel(id);
  const signal = () => call()?.signal ?? new AbortController().signal;
  return {
    api: {
      list: () => Promise.all([...models.values()].map((model) => model.status())),
      revision: async (id) => nameOf(id, await at(id).revision()),
      embed: (id, texts, purpose, caller) =>
        tracedRun(at(id), 'embed', caller, signal(), async (engine, cancelled) =>
          embedded(nameOf(id, engine.revision), await engine.embed(texts, purpose, cancelled)),
        ),
      generate: (id, request, caller, ticket, waitMs) =>
        keeper.write(ticket, (onText) => tracedRun(at(id), 'generate', caller, signal(), writing(request, onText), waitMs)),
      pieces: (ticket) => keeper.read(ticket),
      cut: (id, texts, maxTokens, caller, waitMs) =>
        tracedRun(at(id), 'cut', caller, signal(), (engine, cancelled) => engine.cut(texts, maxTokens, cancelled), waitMs),
      unload: (id) => at(id).evict(),
    },
    stop: async () => {
      await Promise.all([...models.values()].map((model) => model.close()));
    },
  };
});

function writing(request: Generation, onText: ((input: number, piece: string) => void) | undefined) {
  return (engine: Engine, signal: AbortSignal) => engine.generate(request, { signal, ...(onText && { onText }) });
}

function unknownModel(id: string): never {
  throw new Fault('MODEL_NOT_INSTALLED', { detail: `there is no model named ${id}` });
}

function nameOf(id: string, revision: string): string {
  return `${id}@${revision}`;
}

function embedded(embedder: string, texts: readonly (readonly Float32Array[])[]): Embedded {
  const all = texts.flat();
  const dimensions = all[0]?.length ?? 0;
  const vectors = new Float32Array(all.length * dimensions);
  for (const [index, vector] of all.entries()) vectors.set(vector, index * dimensions);
  return { embedder, dimensions, windows: texts.map(({ length }) => length), vectors };
}
