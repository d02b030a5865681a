// Runs an actor in a process or thread of its own on demand, from within another actor: for work that comes and goes, and may crash or hang in native code.
import type { Api, Remote } from '../../actor.ts';
import type { Clock } from '../../clock.ts';
import type { Log, LogLevel } from '../../log/log-entry.ts';
import { createVersions } from '../../versions.ts';
import { Dispatcher } from '../channel/dispatcher.ts';
import { endGracefully, type HostTask, type Incarnation } from '../channel/incarnation.ts';
import { Mailbox } from '../mailbox/mailbox.ts';
import { remoteOver } from '../mailbox/remote.ts';

export { callWith } from '../mailbox/remote.ts';

interface SideOptions {
  readonly module: URL;
  /** For the log and for faults. */
  readonly name: string;
  readonly key: string;
  readonly args: unknown;
  /** Limit of the JavaScript heap in MiB. */
  readonly memoryMb: number;
  readonly deadlineMs: number;
  readonly maxQueue: number;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ChildOptions extends SideOptions {
  /** The complete environment of the process. */
  readonly env: Readonly<Record<string, string>>;
}

export interface Child<A extends Api> {
  /** Its calls end with ACTOR_LOST when the process ends. */
  readonly remote: Remote<A>;
  /** Settles with the reason when the process has ended. */
  readonly lost: Promise<unknown>;
  /** @returns calls whose caller has given up, and on which the process still works */
  overdue(): number;
  /** @returns numbers that tell these calls apart; no other call of this process ever has them */
  givenUp(): readonly number[];
  /** Ends the process by force, whatever it does; a thread once native code returns. */
  kill(): Promise<void>;
}

export interface SideThread<A extends Api> extends Child<A> {
  /** @returns calls on which the thread works, or which wait for it */
  busy(): number;
  /** Lets the actor stop. Only for a thread without calls: one that hangs in native code does not hear it. */
  stop(): Promise<void>;
}

/** @throws the fault with which the factory of the actor failed, or ACTOR_LOST */
export async function startChild<A extends Api>({ env, ...options }: ChildOptions): Promise<Child<A>> {
  const { startProcess } = await import('./process.ts');
  return attach<A>(await startProcess(taskOf(options), { memoryMb: options.memoryMb, env, offset: 0 }), options);
}

/** Its calls share the process with those of its starter, and a native library with its state. @throws as startChild */
export async function startSideThread<A extends Api>(options: SideOptions): Promise<SideThread<A>> {
  const { startThread } = await import('./thread.ts');
  const surroundings = { nice: 0, offset: new BigInt64Array(1), versions: createVersions().memory };
  const incarnation = await startThread(taskOf(options), { memoryMb: options.memoryMb, ...surroundings });
  return { ...attach<A>(incarnation, options), stop: () => endGracefully(incarnation) };
}

function taskOf({ module, name, key, args }: SideOptions): HostTask {
  return { module: module.href, name, key, args, peers: {}, store: undefined, dataKeys: {}, adopts: [], node: '' };
}

function attach<A extends Api>(incarnation: Incarnation, { name, key, clock, log, deadlineMs, maxQueue }: SideOptions): Omit<SideThread<A>, 'stop'> {
  incarnation.channel.onControl((message) => {
    if (message.kind !== 'log') return;
    const { level, message: text, fields } = message as unknown as { level: LogLevel; message: string; fields: Record<string, unknown> };
    log[level]?.({ [name]: key, ...fields }, text);
  });
  const dispatcher = new Dispatcher();
  const mailbox = new Mailbox([dispatcher], { name, deadlineMs, maxQueue, perDispatcher: maxQueue, clock, observe: () => {} });
  dispatcher.attach(incarnation.channel);
  const lost = incarnation.lost.then((cause) => {
    dispatcher.detach(cause ?? 'it has ended', 'failed');
    return cause;
  });
  return {
    remote: remoteOver<A>(mailbox),
    lost,
    overdue: () => dispatcher.overdue,
    givenUp: () => dispatcher.givenUp(),
    busy: () => dispatcher.busy,
    kill: () => incarnation.kill(),
  };
}
