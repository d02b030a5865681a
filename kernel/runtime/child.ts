// Runs an actor in a process of its own on demand, from within another actor: for work that comes and goes, and may crash or hang in native code.
import type { Api, Remote } from '../actor.ts';
import type { Clock } from '../clock.ts';
import type { Log, LogLevel } from '../log-entry.ts';
import { Dispatcher } from './dispatcher.ts';
import { Mailbox } from './mailbox.ts';
import { startProcess } from './process.ts';
import { remoteOver } from './remote.ts';

export { callWith } from './remote.ts';

export interface ChildOptions {
  readonly module: URL;
  /** For the log and for faults. */
  readonly name: string;
  readonly key: string;
  readonly args: unknown;
  /** The complete environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** Limit of the JavaScript heap in MiB. */
  readonly memoryMb: number;
  readonly deadlineMs: number;
  readonly maxQueue: number;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Child<A extends Api> {
  /** Its calls end with ACTOR_LOST when the process ends. */
  readonly remote: Remote<A>;
  /** Settles with the reason when the process has ended. */
  readonly lost: Promise<unknown>;
  /** @returns calls whose caller has given up, and on which the process still works */
  overdue(): number;
  /** Ends the process by force, whatever it does. */
  kill(): Promise<void>;
}

/** @throws the fault with which the factory of the actor failed, or ACTOR_LOST */
export async function startChild<A extends Api>({ clock, log, ...options }: ChildOptions): Promise<Child<A>> {
  const { module, name, key, args, env, memoryMb, deadlineMs, maxQueue } = options;
  const task = { module: module.href, name, key, args, peers: {}, store: undefined, dataKeys: {}, adopts: [], node: '' };
  const incarnation = await startProcess(task, { memoryMb, env, offset: 0 });
  incarnation.channel.onControl((message) => {
    if (message.kind !== 'log') return;
    const { level, message: text, fields } = message as unknown as { level: LogLevel; message: string; fields: Record<string, unknown> };
    log[level]?.({ [name]: key, ...fields }, text);
  });
  const dispatcher = new Dispatcher();
  const mailbox = new Mailbox([dispatcher], { deadlineMs, maxQueue, perDispatcher: maxQueue, clock, observe: () => {} });
  dispatcher.attach(incarnation.channel);
  const lost = incarnation.lost.then((cause) => {
    dispatcher.detach(cause ?? 'it has ended', 'failed');
    return cause;
  });
  return { remote: remoteOver<A>(mailbox), lost, overdue: () => dispatcher.overdue, kill: () => incarnation.kill() };
}
