// The options of a supervisor: the dispatcher that it supervises, how it starts incarnations, and the callbacks about their states.
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log/log-entry.ts';
import type { RestartPolicy } from '../../restart-policy.ts';
import type { Dispatcher } from '../channel/dispatcher.ts';
import type { Incarnation } from '../channel/incarnation.ts';
import type { Control } from '../channel/messages.ts';
import type { Supervisor } from './supervisor.ts';

export interface SupervisorOptions {
  readonly name: string;
  readonly key: string;
  readonly dispatcher: Dispatcher;
  readonly policy: RestartPolicy;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether the thread is ended if a deadline passes while it works on a call. */
  readonly killLate: boolean;
  /** Time limit of a graceful stop; after it the incarnation is killed. */
  readonly stopMs: number;
  /** Takes a message with the spans of an incarnation, if calls are traced. */
  readonly onSpans?: ((message: Control) => void) | undefined;
  launch(): Promise<Incarnation>;
  onRunning(supervisor: Supervisor): void;
  /** Called when the actor has reported a status. */
  onReport?(supervisor: Supervisor): void;
  onLost(supervisor: Supervisor): void;
  /** Called when nothing of an incarnation runs any more, so that it cannot write to the store. Also for one that was replaced. */
  onGone(): void;
  onFailed(supervisor: Supervisor): void;
  /** Called if it cannot start without its data key. `unseal` must be called when that key can be opened. */
  onSealed(supervisor: Supervisor): void;
}
