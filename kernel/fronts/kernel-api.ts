// What a front in a thread of its own can ask the main thread.
import type { Api } from '../actor.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { KernelApi } from './front-task.ts';
import type { Fronts } from './fronts.ts';

interface Sources {
  readonly kernel: Pick<KernelApi, 'dataKey' | 'unsealed'>;
  readonly runtime: Runtime;
}

export function kernelApi(fronts: Pick<Fronts, 'notReady' | 'degraded' | 'scrape'>, { kernel, runtime }: Sources): Api {
  const threadOf = (actor: string, key: string) => runtime.groups.get(actor)?.supervisors.find((each) => each.key === key);
  const api: KernelApi = {
    ...kernel,
    notReady: () => fronts.notReady(),
    degraded: async () => fronts.degraded(),
    scrape: () => fronts.scrape(),
    needed: (actor, key) => threadOf(actor, key)?.dispatcher.wake(),
    late(actor, key, launch) {
      const supervisor = threadOf(actor, key);
      // The thread that it was about may have been replaced already.
      if (supervisor?.launches === launch) supervisor.dispatcher.onLate();
    },
  };
  return api as unknown as Api;
}
