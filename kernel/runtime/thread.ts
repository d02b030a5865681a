// Runs an actor in a worker thread: a Piscina pool with one thread, whose only task lasts as long as the actor.
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { openChannel } from './channel.ts';
import { closeWhenLost, type HostTask, type Incarnation, waitForStart } from './incarnation.ts';
import { portWire } from './wires.ts';

interface ThreadOptions {
  /** Module of the Piscina task, which hosts what the thread is for. Default: an actor. */
  readonly host?: URL;
  readonly memoryMb: number;
  readonly nice: number;
  readonly offset: BigInt64Array;
  readonly versions: SharedArrayBuffer;
}

/** The Piscina task: a HostTask, with things that a separate process cannot get. */
export interface ThreadTask extends HostTask {
  readonly port: MessagePort;
  readonly offset: BigInt64Array;
  readonly versions: SharedArrayBuffer;
}

const HOST = new URL('./thread-host.ts', import.meta.url);
const END_MS = 1_000;
/** Limit of V8's young generation. On a machine with much memory V8 would use up to 120 MiB per thread, and an idle thread returns nothing. */
const YOUNG_MB = 48;

export async function startThread(task: HostTask, options: ThreadOptions): Promise<Incarnation> {
  const { port1, port2 } = new MessageChannel();
  const pool = new Piscina({
    filename: (options.host ?? HOST).href,
    minThreads: 0,
    maxThreads: 1,
    // With atomics a waiting worker would not process messages on its ports.
    atomics: 'disabled',
    niceIncrement: options.nice,
    resourceLimits: { maxOldGenerationSizeMb: options.memoryMb, maxYoungGenerationSizeMb: YOUNG_MB },
  });
  pool.on('error', () => {});
  const channel = openChannel(portWire(port1));
  const threadTask: ThreadTask = { ...task, port: port2, offset: options.offset, versions: options.versions };
  const run = pool.run(threadTask, { transferList: [port2, ...keyBuffers(task)] as never });
  const lost = run.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  closeWhenLost(channel, lost);
  // Call destroy once only: a second call would not wait for the thread to end.
  let ending: Promise<void> | undefined;
  const end = () => (ending ??= pool.destroy());
  const gone = lost.then(end);
  const kill = () => inTime(end());
  try {
    await waitForStart(channel, lost, `${task.name}/${task.key}`);
  } catch (error) {
    channel.close();
    void kill();
    throw error;
  }
  return { channel: channel, lost, gone, kill, give: (announcement, port) => channel.control({ ...announcement, port }, [port]) };
}

function keyBuffers({ dataKeys }: HostTask): ArrayBuffer[] {
  return Object.values(dataKeys).map(({ buffer }) => buffer as ArrayBuffer);
}

/** A thread that is stuck in native code cannot be ended, so the wait for its end is limited to a second. */
async function inTime(end: Promise<void>): Promise<void> {
  await Promise.race([end, new Promise((resolve) => setTimeout(resolve, END_MS).unref())]);
}
