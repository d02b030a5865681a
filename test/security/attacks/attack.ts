// The type of an attack: what one misbehaving client does until it is stopped.
import type { StartedTarget, Target } from '../target.ts';

export interface Attack {
  readonly name: string;
  /** Creates what the attack needs, as its owner would. Memory is measured after it. @returns plain data for `run` */
  prepare?(target: StartedTarget): Promise<unknown>;
  /** Runs in a separate process, from 127.0.0.2, with the certificates of `target.clients`. Refusals and closed connections are not errors. */
  run(target: Target, signal: AbortSignal, prepared: never): Promise<void>;
}
