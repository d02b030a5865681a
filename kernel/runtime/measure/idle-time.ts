// The time in which cores of this machine had nothing to do.
import { cpus } from 'node:os';

/** @returns milliseconds of all cores together since the machine has started; in steps of some 10 ms */
export function idleMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.idle, 0);
}
