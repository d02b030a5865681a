// A run of a model as a step of the request that it is for, which tells the wait for a turn and for the model to be loaded from the work.
import { inSpan } from '../../kernel/tracing/span.ts';
import type { Model } from './model.ts';

/** As `model.run`. @param method of the engine, for its name */
export function tracedRun<T>(model: Model, method: string, ...[caller, signal, work, waitMs]: Parameters<typeof model.run<T>>): Promise<T> {
  const { id, task, engine } = model.spec;
  const about = { 'gen_ai.request.model': id, 'gatehouse.model.task': task, 'gatehouse.model.engine': engine };
  return inSpan(`model ${method}`, 'internal', about, (span) => {
    const askedAt = performance.now();
    const begin: typeof work = (running, cancelled) => {
      span?.set({ 'gatehouse.model.wait_ms': performance.now() - askedAt });
      return work(running, cancelled);
    };
    return model.run(caller, signal, begin, waitMs);
  });
}
