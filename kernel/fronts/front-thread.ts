// The Piscina task of a front's thread: builds the front, and serves requests until it is stopped.
import type { MessagePort } from 'node:worker_threads';
import { createClock } from '../clock.ts';
import { encodeFault } from '../fault.ts';
import { type Channel, openChannel } from '../runtime/channel/channel.ts';
import { Dispatcher } from '../runtime/channel/dispatcher.ts';
import { exposeApi } from '../runtime/channel/facade.ts';
import type { Control } from '../runtime/channel/messages.ts';
import { portWire } from '../runtime/channel/wires.ts';
import { Mailbox } from '../runtime/mailbox/mailbox.ts';
import { remoteOver } from '../runtime/mailbox/remote.ts';
import type { ThreadTask } from '../runtime/thread/thread.ts';
import { spanOutbox } from '../tracing/span-outbox.ts';
import { createVersions } from '../versions.ts';
import type { ThreadState } from './callees.ts';
import { controlLog } from './control-log.ts';
import type { FrontTask, KernelApi } from './front-task.ts';
import { beat } from './heartbeat.ts';
import { openFront } from './open-front.ts';

/** How long a front waits for the main thread, which may itself wait for the keys of the server. */
const KERNEL_MS = 30_000;
const MAX_CALLS = 10_000;

export default async function serve({ port, offset, versions, args }: ThreadTask): Promise<void> {
  const task = args as FrontTask;
  const endBeats = beat(task.pulse, task.config.http.stuck_seconds * 1_000);
  const channel = openChannel(portWire(port));
  const clock = createClock(offset);
  const log = controlLog(channel, task.config.log.level);
  const toKernel = new Dispatcher();
  const mailbox = new Mailbox([toKernel], { deadlineMs: KERNEL_MS, maxQueue: MAX_CALLS, perDispatcher: MAX_CALLS, clock, observe: () => {} });
  const kernel = remoteOver<KernelApi>(mailbox);
  const spans = spanOutbox(channel);
  const stopped = new Promise<void>((resolve) => {
    channel.onControl((message) => {
      if (message.kind === 'stop') resolve();
      if (message.kind === 'clock') void clock.fireDue().then((fired) => channel.control({ kind: 'moved', fired }));
      if (message.kind === 'kernel') toKernel.attach(channelOf(message));
    });
    channel.onClose(resolve);
  });
  let front: Awaited<ReturnType<typeof openFront>>;
  try {
    const report = (status: object) => channel.control({ kind: 'report', status });
    front = await openFront(task, { clock, log, versions: createVersions(versions), kernel, report, spans: spans.push });
  } catch (error) {
    channel.control({ kind: 'failed', fault: encodeFault(error) });
    return stopped;
  }
  channel.onControl((message) => {
    if (message.kind === 'peer') front.callees.attach(message['name'] as string, message['key'] as string, message['launch'] as number, channelOf(message));
    if (message.kind === 'state') front.callees.note(message as unknown as ThreadState);
  });
  exposeApi(front.api, channel);
  channel.control({ kind: 'started' });
  await stopped;
  await front.close();
  await mailbox.drain(0);
  spans.flush();
  endBeats();
  channel.control({ kind: 'stopped' });
  channel.flush();
}

function channelOf(message: Control): Channel {
  return openChannel(portWire(message['port'] as MessagePort));
}
