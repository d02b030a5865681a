// Runs several actors in one worker thread: those that are seldom busy. They have channels and supervisors of their own, and lose the thread together.
import { MessageChannel } from 'node:worker_threads';
import type { AnySpec } from '../../actor.ts';
import { openChannel } from '../channel/channel.ts';
import { closeWhenLost, type HostTask, type Incarnation, keyBuffers, waitForStart } from '../channel/incarnation.ts';
import { portWire } from '../channel/wires.ts';
import { keysOf } from '../mailbox/refs.ts';
import { type RunningWorker, startWorker, type WorkerOptions } from './worker.ts';

const HOST = new URL('./shared-thread-host.ts', import.meta.url);

/** The thread, with the actors that it runs or starts. */
interface Running {
  readonly worker: RunningWorker;
  readonly members: Set<number>;
}

export class SharedThread {
  readonly #options: WorkerOptions;
  #running: Running | undefined;
  #next = 1;

  /** @param options memory for all its actors together */
  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** Starts an actor in the thread, and the thread if there is none. One that cannot start leaves: it will be tried again, and must not take the others with it each time. */
  async start(task: HostTask): Promise<Incarnation> {
    const running = this.#running ?? this.#open();
    this.#running = running;
    const { worker, members } = running;
    const member = this.#next++;
    members.add(member);
    const { port1, port2 } = new MessageChannel();
    const channel = openChannel(portWire(port1));
    const left = this.#left(running, member);
    worker.channel.control({ kind: 'host', member, task, port: port2 }, [port2, ...(keyBuffers(task) as never[])]);
    worker.channel.flush();
    const lost = Promise.race([worker.lost, left]);
    closeWhenLost(channel, lost);
    try {
      await waitForStart(channel, lost, `${task.name}/${task.key}`);
    } catch (error) {
      channel.close();
      throw error;
    }
    return {
      channel,
      lost,
      gone: Promise.race([worker.gone, left.then(() => {})]),
      kill: () => this.#kill(running),
      give: (announcement, port) => channel.control({ ...announcement, port }, [port]),
    };
  }

  #open(): Running {
    const running: Running = { worker: startWorker(HOST, this.#options, {}, []), members: new Set() };
    running.worker.lost.then(() => this.#forget(running));
    return running;
  }

  /** Settles when an actor has stopped, or could not start. The last one ends the thread. */
  #left(running: Running, member: number): Promise<undefined> {
    const { worker, members } = running;
    return new Promise((resolve) => {
      const unlisten = worker.channel.onControl(({ kind, member: who }) => {
        if (kind !== 'left' || who !== member) return;
        unlisten();
        members.delete(member);
        resolve(undefined);
        if (members.size > 0) return;
        this.#forget(running);
        running.worker.channel.control({ kind: 'end' });
      });
    });
  }

  /** There is no other way to stop one that does not stop: the others start again in another thread. */
  async #kill(running: Running): Promise<void> {
    this.#forget(running);
    await running.worker.kill();
  }

  #forget(running: Running): void {
    if (this.#running === running) this.#running = undefined;
  }
}

/**
 * The threads that the specs name. Each has the memory of its actors together.
 * @throws TypeError for an actor that cannot share: one with a process or a priority of its own, with several places at once, or ended at a deadline
 */
export function sharedThreads(
  specs: Readonly<Record<string, AnySpec>>,
  defaultMemoryMb: number,
  shared: Pick<WorkerOptions, 'offset' | 'versions'>,
): ReadonlyMap<string, SharedThread> {
  const memoryMb = new Map<string, number>();
  for (const [name, spec] of Object.entries(specs)) {
    if (spec.sharedThread === undefined) continue;
    const isAlone = spec.kind === 'replicated' || spec.onDeadline === 'kill' || spec.nice || spec.process || (spec.kind === 'pinned' && spec.isolated);
    if (isAlone) throw new TypeError(`the actor ${name} cannot share a thread: only pinned and sharded actors with the usual priority and deadline can`);
    const own = keysOf(spec).length * (spec.memoryMb ?? defaultMemoryMb);
    memoryMb.set(spec.sharedThread, (memoryMb.get(spec.sharedThread) ?? 0) + own);
  }
  return new Map([...memoryMb].map(([thread, all]) => [thread, new SharedThread({ ...shared, memoryMb: all, nice: 0 })]));
}
