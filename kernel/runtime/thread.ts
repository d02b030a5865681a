// Runs an actor in a worker thread of its own.
import { type HostTask, type Incarnation, keyBuffers, waitForStart } from './incarnation.ts';
import { startWorker, type WorkerOptions, type WorkerTask } from './worker.ts';

/** The task of such a thread. */
export interface ThreadTask extends HostTask, WorkerTask {}

const HOST = new URL('./thread-host.ts', import.meta.url);

export async function startThread(task: HostTask, options: WorkerOptions): Promise<Incarnation> {
  const worker = startWorker(HOST, options, task, keyBuffers(task));
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
