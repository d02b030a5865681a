// An engine of models whose loading and work a test decides.
import type { ModelSpec } from '../../actors/model/api.ts';
import type { Engine } from '../../actors/model/engine.ts';
import { Fault } from '../../kernel/fault.ts';

export function modelSpec(id: string): ModelSpec {
  return { id, task: 'embedding', engine: 'onnx', folder: '', precision: 'auto', url: '', model: '', apiKey: '', beams: 0, languages: [] };
}

export interface FakeEngines {
  open(model: ModelSpec): Promise<Engine>;
  /** Models that were opened, in order. */
  readonly opened: string[];
  /** Models that are open. */
  readonly alive: Set<string>;
  /** Texts on which an engine works; each ends when its function is called. */
  readonly running: Map<string, () => void>;
  /** Ends the process of a model, as a crash does. */
  crash(id: string): void;
  /** Why models cannot be opened, from now on. */
  refusal: Error | undefined;
}

/** The text `warm up` ends at once. */
export function fakeEngines(memoryMb = 100): FakeEngines {
  const crashes = new Map<string, () => void>();
  const engines: FakeEngines = {
    opened: [],
    alive: new Set(),
    running: new Map(),
    refusal: undefined,
    crash: (id) => crashes.get(id)?.(),
    async open({ id }) {
      engines.opened.push(id);
      await new Promise(setImmediate);
      if (engines.refusal) throw engines.refusal;
      engines.alive.add(id);
      const rejects = new Set<(error: unknown) => void>();
      const lost = new Promise<unknown>((resolve) => {
        crashes.set(id, () => {
          engines.alive.delete(id);
          for (const reject of rejects) reject(new Fault('ACTOR_LOST'));
          resolve('crashed');
        });
      });
      const work = (text: string, signal: AbortSignal) =>
        new Promise<Float32Array[][]>((resolve, reject) => {
          if (text === 'warm up') return resolve([[Float32Array.of(1)]]);
          rejects.add(reject);
          engines.running.set(text, () => resolve([[Float32Array.of(1)]]));
          signal.addEventListener('abort', () => reject(new Fault('CANCELLED')));
        }).finally(() => engines.running.delete(text));
      return {
        revision: 'r',
        memoryMb,
        embed: ([text = ''], _purpose, signal) => work(text, signal),
        generate: () => Promise.reject(new Fault('MODEL_NOT_INSTALLED')),
        count: async (texts) => texts.map(() => 1),
        cut: async (texts) => texts.map(({ length }) => [[0, length] as const]),
        lost,
        async close() {
          crashes.get(id)?.();
        },
      };
    },
  };
  return engines;
}
