// The actors as a front calls them: over channels of its own, which the main thread opens, and with the states that the main thread tells.
import type { AnySpec } from '../actor.ts';
import type { Clock } from '../clock.ts';
import type { Channel } from '../runtime/channel/channel.ts';
import type { Dispatcher } from '../runtime/channel/dispatcher.ts';
import type { CallObserver } from '../runtime/channel/pending.ts';
import type { Mailbox } from '../runtime/mailbox/mailbox.ts';
import { dispatcherOf, mailboxesOf } from '../runtime/mailbox/mailboxes.ts';
import { keysOf, refOver } from '../runtime/mailbox/refs.ts';
import type { SharedMemory } from '../shared/memory.ts';
import type { Status } from '../status.ts';

interface CalleesOptions {
  readonly clock: Clock;
  readonly shared: SharedMemory;
  observe(actor: string): CallObserver;
  /** A call waits for a thread that starts when it is needed. */
  onNeeded(actor: string, key: string): void;
  /** A call has run past the deadline of an actor whose thread must be ended then. */
  onLate(actor: string, key: string, launch: number): void;
}

interface Thread {
  readonly dispatcher: Dispatcher;
  launch: number;
  status: Status | undefined;
}

/** An actor as this front calls it. */
interface Callee {
  readonly name: string;
  readonly spec: AnySpec;
  readonly mailboxes: readonly Mailbox[];
  readonly ref: unknown;
  readonly observe: CallObserver;
  readonly threads: ReadonlyMap<string, Thread>;
}

/** The state of an actor's thread, as the main thread tells it. */
export interface ThreadState {
  readonly name: string;
  readonly key: string;
  readonly state: string;
  readonly status: Status | undefined;
}

const REFUSING: ReadonlySet<string> = new Set(['failed', 'sealed']);

export class Callees {
  readonly groups = new Map<string, Callee>();

  constructor(specs: Readonly<Record<string, AnySpec>>, options: CalleesOptions) {
    for (const [name, spec] of Object.entries(specs)) this.groups.set(name, calleeOf(name, spec, options));
  }

  reported(actor: string): ReadonlyMap<string, Status | undefined> {
    return new Map([...(this.groups.get(actor)?.threads ?? [])].map(([key, { status }]) => [key, status]));
  }

  /** The main thread has opened a channel to an actor's thread that has started. */
  attach(name: string, key: string, launch: number, channel: Channel): void {
    const thread = this.groups.get(name)?.threads.get(key);
    if (!thread) return channel.close();
    thread.launch = launch;
    channel.onClose(() => {
      if (thread.dispatcher.serves(channel)) thread.dispatcher.detach(`the channel to ${name}/${key} closed`);
    });
    thread.dispatcher.attach(channel);
  }

  /** Calls wait for a thread that starts again; those of one that has failed or is sealed are refused. */
  note({ name, key, state, status }: ThreadState): void {
    const callee = this.groups.get(name);
    const thread = callee?.threads.get(key);
    if (!callee || !thread) return;
    thread.status = status;
    const { dispatcher } = thread;
    if (REFUSING.has(state)) {
      dispatcher.detach(state, state as 'failed' | 'sealed');
      for (const mailbox of callee.mailboxes) mailbox.refuseWaiting();
    } else if (REFUSING.has(dispatcher.state)) dispatcher.detach(state);
  }

  /** Calls past their deadline that actors still work on, by `name/key` of the actor. */
  overdue(): ReadonlyMap<string, number> {
    const late = new Map<string, number>();
    for (const { name, threads } of this.groups.values())
      for (const [key, { dispatcher }] of threads) if (dispatcher.overdue > 0) late.set(`${name}/${key}`, dispatcher.overdue);
    return late;
  }

  /** Accepts no more calls. Settles when the running ones have ended or `ms` have passed. */
  async drain(ms: number): Promise<void> {
    await Promise.all([...this.groups.values()].flatMap(({ mailboxes }) => mailboxes.map((mailbox) => mailbox.drain(ms))));
  }
}

function calleeOf(name: string, spec: AnySpec, { clock, shared, observe, onLate, onNeeded }: CalleesOptions): Callee {
  const keys = keysOf(spec);
  const threads = new Map(keys.map((key): [string, Thread] => [key, { dispatcher: dispatcherOf(spec, key, clock), launch: 0, status: undefined }]));
  for (const [key, { dispatcher }] of threads) dispatcher.onNeeded = () => onNeeded(name, key);
  if (spec.onDeadline === 'kill') for (const [key, thread] of threads) thread.dispatcher.onLate = () => onLate(name, key, thread.launch);
  const observer = observe(name);
  const dispatchers = [...threads.values()].map(({ dispatcher }) => dispatcher);
  const mailboxes = mailboxesOf(name, spec, dispatchers, { clock, observe: observer, shared });
  return { name, spec, threads, mailboxes, ref: refOver(name, spec, keys, mailboxes), observe: observer };
}
