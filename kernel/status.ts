// The status of one thread of an actor: whether it can do its work, and how far its self-test has come.
import { isRecord } from './record.ts';

/** The status that an actor reports. `detail` is plain data for the plugin that owns the actor. */
export interface Status {
  readonly ready: boolean;
  readonly note?: string;
  readonly detail?: unknown;
  readonly selfTest?: SelfTest;
}

/** Counts of known answers: right, wrong, not yet computed. `off` names the algorithms that gave a wrong one and are used no more in this thread. */
export interface SelfTest {
  readonly right: number;
  readonly wrong: number;
  readonly left: number;
  readonly off: readonly string[];
  /** The thread has served its warm-up, too. */
  readonly isWarm: boolean;
}

/** @returns whether a message of another thread is one */
export function isStatus(value: unknown): value is Status {
  return isRecord(value) && typeof value['ready'] === 'boolean' && (value['note'] === undefined || typeof value['note'] === 'string');
}
