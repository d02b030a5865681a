// What a cell is given: the place that it supervises, how its incarnations are started, and who is told what becomes of them.
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
  /** Ends the thread at a deadline that passes while it serves. */
  readonly killLate: boolean;
  /** Limit of a graceful stop, milliseconds; after it the incarnation is killed. */
  readonly stopMs: number;
  launch(): Promise<Incarnation>;
  onRunning(cell: Cell): void;
  onLost(cell: Cell): void;
  /** After each incarnation, also one that was replaced: nothing of it writes any more. */
  onGone(): void;
  onFailed(cell: Cell): void;
  /** It cannot start without its data key: `unseal` is to be called when that can be opened. */
  onSealed(cell: Cell): void;
}
