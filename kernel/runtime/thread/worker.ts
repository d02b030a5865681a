// A worker thread: a Piscina pool with one thread, whose only task lasts as long as the thread.
import { MessageChannel, type MessagePort, type Transferable } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { type Channel, openChannel } from '../channel/channel.ts';
import { closeWhenLost } from '../channel/incarnation.ts';
import { portWire } from '../channel/wires.ts';

export interface WorkerOptions {
  readonly memoryMb: number;
  readonly nice: number;
  readonly offset: BigInt64Array;
  readonly versions: SharedArrayBuffer;
}

/** What every task gets: its end of the channel, and what only threads of one process can share. */
export interface WorkerTask {
  readonly port: MessagePort;
  readonly offset: BigInt64Array;
  readonly versions: SharedArrayBuffer;
}

export interface RunningWorker {
  readonly channel: Channel;
  /** Settles with the reason when the thread has ended; with undefined if its task ended by itself. */
  readonly lost: Promise<unknown>;
  /** Settles when nothing of it runs any more. */
  readonly gone: Promise<void>;
  kill(): Promise<void>;
}

const END_MS = 1_000;
/** Limit of V8's young generation, of which a third is in use: kernel/runtime/thread/young-space.ts has the figures. */
const YOUNG_MB = 24;

/** @param module its default export runs the task @param more the rest of the task, with what is transferred */
export function startWorker(module: URL, options: WorkerOptions, more: object, transfer: readonly Transferable[]): RunningWorker {
  const { port1, port2 } = new MessageChannel();
  const pool = new Piscina({
    filename: module.href,
    minThreads: 0,
    maxThreads: 1,
    // With atomics a waiting worker would not process messages on its ports.
    atomics: 'disabled',
    niceIncrement: options.nice,
    resourceLimits: { maxOldGenerationSizeMb: options.memoryMb, maxYoungGenerationSizeMb: YOUNG_MB },
  });
  // A thread that fails before it has taken the task leaves the task waiting: Piscina tells that here only.
  const failed = new Promise<unknown>((resolve) => pool.on('error', resolve));
  const channel = openChannel(portWire(port1));
  const task: WorkerTask = { ...more, port: port2, offset: options.offset, versions: options.versions };
  const run = pool.run(task, { transferList: [port2, ...transfer] as never });
  const ended = run.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  const lost = Promise.race([ended, failed]);
  closeWhenLost(channel, lost);
  // Call destroy once only: a second call would not wait for the thread to end.
  let ending: Promise<void> | undefined;
  const end = () => (ending ??= pool.destroy());
  return { channel, lost, gone: lost.then(end), kill: () => inTime(end()) };
}

/** A thread that is stuck in native code cannot be ended, so the wait for its end is limited to a second. */
async function inTime(end: Promise<void>): Promise<void> {
  await Promise.race([end, new Promise((resolve) => setTimeout(resolve, END_MS).unref())]);
}
