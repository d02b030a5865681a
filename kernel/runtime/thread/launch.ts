// Starts an actor where its spec says: in a process, in a thread that it shares, or in a thread of its own.
import type { AnySpec } from '../../actor.ts';
import type { HostTask, Incarnation } from '../channel/incarnation.ts';
import type { RuntimeOptions } from '../runtime-options.ts';
import { startProcess } from './process.ts';
import { processEnvironment } from './process-environment.ts';
import { type SharedThread, sharedThreads } from './shared-thread.ts';
import { startThread } from './thread.ts';

const DEFAULT_MEMORY_MB = 256;

export class Launcher {
  readonly #options: Pick<RuntimeOptions, 'clock' | 'versions'>;
  readonly #shared: ReadonlyMap<string, SharedThread>;

  /** @throws TypeError for an actor that cannot share the thread that it names */
  constructor(specs: Readonly<Record<string, AnySpec>>, options: Pick<RuntimeOptions, 'clock' | 'versions' | 'isSharing'>) {
    const { clock, versions, isSharing } = options;
    this.#options = options;
    this.#shared = sharedThreads(isSharing ? specs : {}, DEFAULT_MEMORY_MB, { offset: clock.offset, versions: versions.memory });
  }

  launch(task: HostTask, spec: AnySpec): Promise<Incarnation> {
    const { clock, versions } = this.#options;
    const memoryMb = spec.memoryMb ?? DEFAULT_MEMORY_MB;
    const isolated = spec.kind === 'pinned' ? spec.isolated?.[task.key] : undefined;
    const own = isolated ?? (spec.process ? { env: processEnvironment(process.env, spec.store === true) } : undefined);
    if (own) return startProcess(task, { memoryMb, nice: spec.nice ?? 0, ...own, ...(task.store && { versions }), offset: Number(clock.offset[0]) });
    const shared = this.#shared.get(spec.sharedThread ?? '');
    if (shared) return shared.start(task);
    return startThread(task, { memoryMb, nice: spec.nice ?? 0, offset: clock.offset, versions: versions.memory });
  }
}
