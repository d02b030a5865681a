// The engine of models on this machine: each runs in a process of its own, which gets nothing of the server's environment.

import { Fault } from '../../../kernel/fault.ts';
import { callWith, startChild } from '../../../kernel/runtime/child.ts';
import type { ModelSpec } from '../api.ts';
import type { Engine, EngineSurroundings } from '../engine.ts';
import { revisionOf } from '../manifest.ts';
import { weightsOf } from '../weights.ts';
import type { HostApi, HostArgs } from './api.ts';

/** JavaScript of the host; weights are not in its heap. */
const HEAP_MB = 512;
const MAX_CALLS = 256;
/** A call has a deadline before; this one only keeps a forgotten call from staying for ever. */
const CALL_MS = 3_600_000;

/** Complete: no secret of the server reaches the process. No home: the runtime writes nothing, and its telemetry is off. Freed memory of a session returns to the system. */
const ENVIRONMENT = { HOME: '/nonexistent', ORT_DISABLE_TELEMETRY: '1', MALLOC_MMAP_THRESHOLD_: '65536' };

export async function openOnnx(model: ModelSpec, { clock, log, threads, useMatrixAcceleration }: EngineSurroundings): Promise<Engine> {
  const weights = await weightsOf(model, useMatrixAcceleration);
  if (!weights) throw new Fault('MODEL_NOT_INSTALLED', { detail: `the model ${model.id} has no weights` });
  const revision = await revisionOf(model.folder);
  const args: HostArgs = { folder: model.folder, task: model.task, weights, threads };
  const module = new URL('./host.actor.ts', import.meta.url);
  const limits = { memoryMb: HEAP_MB, deadlineMs: CALL_MS, maxQueue: MAX_CALLS };
  const child = await startChild<HostApi>({ module, name: 'model', key: model.id, args, env: ENVIRONMENT, ...limits, clock, log });
  const { remote } = child;
  return {
    revision,
    memoryMb: await remote.memory(),
    async embed(texts, purpose, signal) {
      const { windows, vectors } = await callWith(remote, { signal }).embed(texts, purpose);
      const total = windows.reduce((sum, each) => sum + each, 0);
      const size = total === 0 ? 0 : vectors.length / total;
      let at = 0;
      return windows.map((count) => Array.from({ length: count }, () => vectors.slice(at * size, ++at * size)));
    },
    async generate() {
      throw new Fault('MODEL_NOT_INSTALLED', { detail: `the model ${model.id} is for embedding` });
    },
    count: (texts, signal) => callWith(remote, { signal }).count(texts),
    cut: (text, maxTokens, signal) => callWith(remote, { signal }).cut(text, maxTokens),
    lost: child.lost,
    close: () => child.kill(),
  };
}
