// An attack of the table: what one misbehaving client does for as long as it is let.
import type { StartedTarget, Target } from '../target.ts';

export interface Attack {
  readonly name: string;
  /** What there has to be before, made as its owner makes it; memory is measured after that. @returns plain data for `run` */
  prepare?(target: StartedTarget): Promise<unknown>;
  /** Runs in a process of its own, from 127.0.0.2, with the certificates of `target.clients`; refusals and closed connections are no errors. */
  run(target: Target, signal: AbortSignal, prepared: never): Promise<void>;
}
