// What a mailbox needs.
import type { Clock } from '../../clock.ts';
import type { CallObserver } from './pending.ts';
import type { SharedQueue } from './shared-queue.ts';

export interface MailboxOptions {
  /** Of the actor, for traces; calls without it are in none. */
  readonly name?: string;
  readonly deadlineMs: number;
  /** Limit of waiting and running calls; further calls are refused with OVERLOADED. */
  readonly maxQueue: number;
  /** Calls that one dispatcher gets at a time. */
  readonly perDispatcher: number;
  readonly clock: Clock;
  readonly observe: CallObserver;
  /** The calls of other threads to the same actor, if there are such threads. */
  readonly shared?: SharedQueue | undefined;
}
