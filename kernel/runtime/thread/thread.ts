// Runs an actor in a worker thread of its own.
import { type HostTask, type Incarnation, keyBuffers, waitForStart } from '../channel/incarnation.ts';
import { startWorker, type WorkerOptions, type WorkerTask } from './worker.ts';

interface ThreadOptions extends WorkerOptions {
  /** Module of the task, which hosts what the thread is for. Default: an actor. */
  readonly host?: URL;
}

/** The task of such a thread. */
export interface ThreadTask extends HostTask, WorkerTask {}

const HOST = new URL('./thread-host.ts', import.meta.url);

export async function startThread(task: HostTask, { host = HOST, ...options }: ThreadOptions): Promise<Incarnation> {
  const worker = startWorker(host, options, task, keyBuffers(task));
  const { channel } = worker;
  try {
    await waitForStart(channel, worker.lost, `${task.name}/${task.key}`);
  } catch (error) {
    channel.close();
    void worker.kill();
    throw error;
  }
  return { ...worker, give: (announcement, port) => channel.control({ ...announcement, port }, [port]) };
}
