// The engine of models on this machine: each runs in a process of its own, which gets nothing of the server's environment.
import { randomUUID } from 'node:crypto';
import type { Remote } from '../../../kernel/actor.ts';
import type { Clock, Timer } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { type Child, callWith, startChild } from '../../../kernel/runtime/thread/child.ts';
import { readWhile } from '../../../text/pieces.ts';
import type { ModelSpec } from '../api.ts';
import type { Engine, EngineSurroundings } from '../engine.ts';
import { revisionOf } from '../manifest.ts';
import { weightsOf } from '../weights.ts';
import type { HostApi, HostArgs } from './api.ts';
import { embedderRevisionOf } from './embedding-settings.ts';

/** JavaScript of the host; weights are not in its heap. */
const HEAP_MB = 512;
const MAX_CALLS = 256;
/** A call has a deadline before; this one only keeps a forgotten call from staying for ever. */
const CALL_MS = 3_600_000;

/** A cancelled call ends within one step of the model. A process that works on one for longer hangs. */
const HANGS_MS = 60_000;

/**
 * Of malloc. What a step of a decoder makes is freed after the next one. Mapped anew each time, its pages would cost up to a third of the CPU time, so memory
 * is kept; but not that of matrices of weights, which are freed while a model is loaded, and not in larger pieces than a busy batch needs. Large pages save
 * some more of the time that weights take.
 */
const ALLOCATION = {
  MALLOC_MMAP_THRESHOLD_: String(4 * 1_048_576),
  MALLOC_TRIM_THRESHOLD_: String(64 * 1_048_576),
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
};
/** Complete: no secret of the server reaches the process. No home: the runtime writes nothing, and its telemetry is off. */
const ENVIRONMENT = { HOME: '/nonexistent', ORT_DISABLE_TELEMETRY: '1', ...ALLOCATION };

export async function openOnnx(model: ModelSpec, { clock, log, threads, useMatrixAcceleration }: EngineSurroundings): Promise<Engine> {
  const weights = await weightsOf(model, useMatrixAcceleration);
  if (!weights) throw new Fault('MODEL_NOT_INSTALLED', { detail: `the model ${model.id} has no weights` });
  const revision = await (model.task === 'embedding' ? embedderRevisionOf : revisionOf)(model.folder);
  const args: HostArgs = { folder: model.folder, task: model.task, weights, threads, beams: model.beams };
  const module = new URL('./host.actor.ts', import.meta.url);
  const limits = { memoryMb: HEAP_MB, deadlineMs: CALL_MS, maxQueue: MAX_CALLS };
  const child = await startChild<HostApi>({ module, name: 'model', key: model.id, args, env: ENVIRONMENT, ...limits, clock, log });
  const until = watching(child, clock);
  return {
    revision,
    memoryMb: await child.remote.memory(),
    async embed(texts, purpose, signal) {
      const { windows, vectors } = await until(signal).embed(texts, purpose);
      const total = windows.reduce((sum, each) => sum + each, 0);
      const size = total === 0 ? 0 : vectors.length / total;
      let at = 0;
      return windows.map((count) => Array.from({ length: count }, () => vectors.slice(at * size, ++at * size)));
    },
    async generate({ inputs, maxNewTokens, instruction, languages }, { signal, onText }) {
      const ticket = onText && randomUUID();
      const remote = until(signal);
      const work = remote.generate(inputs, { maxTokens: maxNewTokens, instruction, languages }, ticket);
      const written = await (onText && ticket ? readWhile(work, () => remote.pieces(ticket), onText) : work);
      // A summary or an answer may end there; half a translation is none.
      if (languages && written.some(({ isCut }) => isCut))
        throw new Fault('MODEL_FAILED', { detail: `the model ${model.id} did not finish the translation of a part of the text` });
      return written.map(({ text }) => text);
    },
    count: (texts, signal) => until(signal).count(texts),
    cut: (texts, maxTokens, signal) => until(signal).cut(texts, maxTokens),
    lost: child.lost,
    close: () => child.kill(),
  };
}

/** @returns the process as a caller with this signal calls it: it is ended if it goes on working on cancelled calls */
function watching(child: Child<HostApi>, clock: Clock): (signal: AbortSignal) => Remote<HostApi> {
  let timer: Timer | undefined;
  /** By call: when it was cancelled. */
  let since: ReadonlyMap<number, number> = new Map();
  // Each call has its own time: the number of cancelled calls does not tell for how long any of them has been.
  const look = () => {
    const now = clock.monotonic();
    since = new Map(child.givenUp().map((call) => [call, since.get(call) ?? now]));
    const leftMs = Math.min(...since.values()) + HANGS_MS - now;
    if (leftMs <= 0) return void child.kill();
    if (since.size > 0) timer ??= clock.setTimeout(again, leftMs);
  };
  const again = () => {
    timer = undefined;
    look();
  };
  child.lost.then(() => timer && clock.clearTimeout(timer));
  return (signal) => {
    // Later in this turn: first the call itself is marked as cancelled.
    const watch = () => queueMicrotask(look);
    signal.addEventListener('abort', watch, { once: true });
    return callWith(child.remote, { signal });
  };
}
