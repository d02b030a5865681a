// What a program that others wrote needs to be run, unmodified, against a started server.

export interface ForeignClient {
  /** As others call it; what the runner is asked for by. */
  readonly name: string;
  /**
   * Brings what the program needs into a folder that is empty at first: an environment of Python, modules of Go.
   * @returns why the program cannot run here (its language or its registry is absent), or undefined
   */
  prepare(folder: string): Promise<string | undefined>;
  /** Runs the program against servers of its own, which it ends. */
  run(folder: string): Promise<Outcome>;
}

export interface Outcome {
  /** Steps that went as they should. */
  readonly passed: number;
  /** The others: the step, and what came in place of what was expected. */
  readonly problems: readonly string[];
}
