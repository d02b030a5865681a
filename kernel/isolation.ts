// How an actor's instance runs in a process of its own.

export interface Isolation {
  /** The complete environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** A process whose thread does not come back from native code for so long, in milliseconds, is killed and restarted. Default: never. */
  readonly stuckMs?: number;
}
