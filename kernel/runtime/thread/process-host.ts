// The main module of an actor in a separate process: waits for the task, creates the actor, and serves it until it is stopped or the parent is gone.
import { readFileSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { createClock } from '../../clock.ts';
import { keepClassesOfCode } from '../../compiled-code.ts';
import { openChannel } from '../channel/channel.ts';
import type { HostTask } from '../channel/incarnation.ts';
import { type IpcEnd, ipcHub } from '../channel/wires.ts';
import { collectLargeBytes, IN_ACTORS } from '../measure/collect.ts';
import { toldVersions } from '../told-versions.ts';
import { host } from './host.ts';

const LOWEST = 19;
/** Thousandths of all the memory that the kernel adds to what a process has when it looks for one to end, up to the highest: proc_pid_oom_score_adj(5). */
const [EXPENDABLE, HIGHEST] = [500, 1_000];
const OOM_SCORE = '/proc/self/oom_score_adj';

const hub = ipcHub(process as unknown as IpcEnd, true);
const channel = openChannel(hub.wire(0));
const clock = createClock(new BigInt64Array(1));

// A terminal and a service manager tell all processes of the server to end. The parent stops this one when its work is done.
// Nor does SIGUSR2 end any of them, as Node would.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => {});
// The parent is gone, so there are no callers.
process.on('disconnect', () => process.exit(1));

ratherThanServer();

channel.onControl(async (message) => {
  if (message.kind === 'clock' || message.kind === 'task') clock.offset[0] = BigInt(message['offset'] as number);
  if (message.kind === 'turn') {
    channel.control({ kind: 'turning' });
    channel.flush();
  }
  if (message.kind !== 'task') return;
  const task = message['task'] as HostTask;
  if (message['nice']) setPriority(Math.min(LOWEST, getPriority() + (message['nice'] as number)));
  collectLargeBytes(IN_ACTORS);
  keepClassesOfCode();
  const versions = task.store && toldVersions(channel, task.store.url, message['changes'] as number);
  await host(task, channel, { clock, versions, channel: (given) => openChannel(hub.wire(given['channel'] as number)) });
  await hub.waitUntilDrained();
  process.exit(0);
});

/** Where memory is out, Linux ends what has most of it, as a rule the server itself. With this process only its calls end, and another one takes its place. */
function ratherThanServer(): void {
  try {
    writeFileSync(OOM_SCORE, String(Math.min(HIGHEST, Number(readFileSync(OOM_SCORE, 'utf8')) + EXPENDABLE)));
  } catch {
    // Another system, or one that does not let it.
  }
}
