// A call as the actor that serves it sees it: who asked, and whether somebody still waits for the answer.

/** The call that is being served, from `ActorContext.call()`. */
export interface Call {
  readonly requestId: string | undefined;
  /** Aborted if the caller gives up or the deadline passes. Long work should check it between steps. */
  readonly signal: AbortSignal;
  /** Whether that is aborted; asking costs less than the signal. */
  readonly isCancelled: boolean;
  /** Tells the kernel that the rest of this call only waits: the thread then takes other calls, without a limit on the waiting ones. */
  aside(): void;
}
