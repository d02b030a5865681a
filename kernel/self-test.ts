// How far the self-test of one thread has come.

/** Counts of known answers: right, wrong, not yet computed. `off` names the algorithms that gave a wrong one and are used no more in this thread. */
export interface SelfTest {
  readonly right: number;
  readonly wrong: number;
  readonly left: number;
  readonly off: readonly string[];
  /** The thread has served its warm-up, too. */
  readonly isWarm: boolean;
}
