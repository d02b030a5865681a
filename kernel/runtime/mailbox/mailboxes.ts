// Makes the mailboxes of an actor: one in front of all replicas, or one for each instance or shard.
import type { AnySpec } from '../../actor.ts';
import type { Clock } from '../../clock.ts';
import type { SharedMemory } from '../../shared/memory.ts';
import { Dispatcher } from '../channel/dispatcher.ts';
import type { HostTask } from '../channel/incarnation.ts';
import type { CallObserver } from '../channel/pending.ts';
import { SharedQueue } from '../channel/shared-queue.ts';
import { WorkLimit } from '../channel/work-limit.ts';
import { Mailbox } from './mailbox.ts';
import { aboutOf, keysOf } from './refs.ts';
import { rests, restsAt } from './starts.ts';

interface MailboxesOptions {
  readonly clock: Clock;
  readonly observe: CallObserver;
  /** What other threads that call the actor know of; absent if there are none. */
  readonly shared?: SharedMemory | undefined;
}

const DEFAULT_MAX_QUEUE = 1024;
/** How long a call waits for an actor whose deadline limits the work only. */
const WAIT_MS = 10_000;

export function dispatcherOf(spec: AnySpec, key: string, clock: Clock): Dispatcher {
  const dispatcher = new Dispatcher(spec.onDeadline === 'kill' ? new WorkLimit(spec.deadlineMs, clock) : undefined);
  if (restsAt(spec, key)) dispatcher.state = 'resting';
  return dispatcher;
}

export function mailboxesOf(name: string, spec: AnySpec, dispatchers: readonly Dispatcher[], { clock, observe, shared }: MailboxesOptions): readonly Mailbox[] {
  const maxQueue = spec.maxQueue ?? DEFAULT_MAX_QUEUE;
  const perDispatcher = spec.kind === 'replicated' ? (spec.prefetch ?? 1) : maxQueue;
  const deadlineMs = spec.onDeadline === 'kill' ? Math.max(spec.deadlineMs, WAIT_MS) : spec.deadlineMs;
  const mailbox = (own: readonly Dispatcher[], label: string) =>
    new Mailbox(own, { name, deadlineMs, maxQueue, perDispatcher, clock, observe, shared: shared && new SharedQueue(shared, label, own.length) });
  return spec.kind === 'replicated' ? [mailbox(dispatchers, name)] : dispatchers.map((dispatcher, at) => mailbox([dispatcher], `${name}/${at}`));
}

/** @returns what an actor must know of those that it may call @throws TypeError for a peer that does not exist, or that starts when it is needed */
export function peersOf(caller: string, { peers = [] }: AnySpec, specs: Readonly<Record<string, AnySpec>>): HostTask['peers'] {
  const known = peers.map((name) => {
    const peer = specs[name];
    if (!peer) throw new TypeError(`the actor ${caller} names the peer ${name}, which does not exist; there are ${Object.keys(specs).join(', ')}`);
    if (rests(peer))
      throw new TypeError(`the actor ${caller} names the peer ${name}, whose start is "${peer.start}": only a caller outside of actors can start it`);
    return [name, peer] as const;
  });
  return Object.fromEntries(
    known.map(([name, peer]) => [
      name,
      { keys: keysOf(peer), about: aboutOf(peer), deadlineMs: peer.deadlineMs, maxQueue: peer.maxQueue ?? DEFAULT_MAX_QUEUE },
    ]),
  );
}
