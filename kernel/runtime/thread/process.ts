// Runs an actor in a separate process over batched IPC, so that a hanging actor can be killed and a crash in native code affects nobody else.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Versions } from '../../versions.ts';
import { type Channel, openChannel } from '../channel/channel.ts';
import { closeWhenLost, type HostTask, type Incarnation, waitForStart } from '../channel/incarnation.ts';
import { openRelay } from '../channel/relay.ts';
import { type IpcEnd, ipcHub } from '../channel/wires.ts';
import { hearChanges } from '../hear-changes.ts';
import { CHANGES } from '../told-versions.ts';

interface ProcessOptions {
  readonly memoryMb: number;
  /** Added to the niceness of the process. Default 0. */
  readonly nice?: number;
  /** The complete environment of the process. It inherits nothing from the server. */
  readonly env: Readonly<Record<string, string>>;
  /** A process that does not answer for so long, in milliseconds, is killed. */
  readonly stuckMs?: number;
  /** Counters of what it changes in the store; not for one without a store. */
  readonly versions?: Versions;
  /** Offset of the clock in milliseconds; not 0 only in tests. */
  readonly offset: number;
}

/** So many, one after the other, without an answer. */
const ASKS = 4;

const HOST = fileURLToPath(new URL('./process-host.ts', import.meta.url));
const QUICK_IMPORTS = new URL('../../quick-imports.mjs', import.meta.url).href;

export async function startProcess(task: HostTask, options: ProcessOptions): Promise<Incarnation> {
  const child = forked(options);
  const hub = ipcHub(child as unknown as IpcEnd, false);
  const channel = openChannel(hub.wire(0));
  const lost = new Promise<unknown>((resolve) => {
    child.on('error', resolve);
    child.on('exit', (code, signal) => resolve(code === 0 ? undefined : new Error(`the process ended with ${signal ?? `code ${code}`}`)));
  });
  closeWhenLost(channel, lost);
  const kill = async () => {
    child.kill('SIGKILL');
    await lost;
  };
  const { offset, nice = 0, versions } = options;
  if (versions) hearChanges(channel, versions);
  channel.control({ kind: 'task', task, offset, nice, changes: versions?.trust.reserveChanges(CHANGES) ?? 0 });
  channel.flush();
  for (const key of Object.values(task.dataKeys)) key.fill(0);
  try {
    await waitForStart(channel, lost, `${task.name}/${task.key}`);
  } catch (error) {
    void kill();
    throw error;
  }
  if (options.stuckMs !== undefined) killStuck(channel, options.stuckMs, lost, () => void kill());
  let channels = 0;
  return {
    channel: channel,
    lost,
    gone: lost.then(() => {}),
    kill,
    give(announcement, port) {
      channels += 1;
      openRelay(port, hub.wire(channels));
      channel.control({ ...announcement, channel: channels });
    },
  };
}

function forked({ memoryMb, env }: ProcessOptions): ChildProcess {
  return fork(HOST, [], {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${memoryMb}`, '--disable-sigusr1', '--disable-warning=ExperimentalWarning', '--import', QUICK_IMPORTS],
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

/**
 * Asks the process again and again whether its thread still turns; the time of this is the real one, as is that of native code.
 * Questions are counted, not time: while this thread is blocked itself, or stopped, it hears no answer.
 */
function killStuck(channel: Channel, stuckMs: number, lost: Promise<unknown>, kill: () => void): void {
  let unanswered = 0;
  channel.onControl(({ kind }) => {
    if (kind === 'turning') unanswered = 0;
  });
  const timer = setInterval(() => {
    if (unanswered >= ASKS) kill();
    unanswered += 1;
    channel.control({ kind: 'turn' });
    channel.flush();
  }, stuckMs / ASKS);
  void lost.then(() => clearInterval(timer));
}
