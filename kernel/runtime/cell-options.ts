// The options of a cell: the slot that it supervises, how it starts incarnations, and the callbacks about their states.
import type { RestartPolicy } from '../actor.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../log-entry.ts';
import type { Cell } from './cell.ts';
import type { Incarnation } from './incarnation.ts';
import type { Slot } from './slot.ts';

export interface CellOptions {
  readonly name: string;
  readonly key: string;
  readonly slot: Slot;
  readonly policy: RestartPolicy;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether the thread is ended if a deadline passes while it works on a call. */
  readonly killLate: boolean;
  /** Time limit of a graceful stop; after it the incarnation is killed. */
  readonly stopMs: number;
  launch(): Promise<Incarnation>;
  onRunning(cell: Cell): void;
  onLost(cell: Cell): void;
  /** Called when nothing of an incarnation runs any more, so that it cannot write to the store. Also for one that was replaced. */
  onGone(): void;
  onFailed(cell: Cell): void;
  /** Called if it cannot start without its data key. `unseal` must be called when that key can be opened. */
  onSealed(cell: Cell): void;
}
