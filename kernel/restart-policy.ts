// How often and after which delays a lost actor is started again.

export interface RestartPolicy {
  /** Number of crashes within `withinMs` after which the actor is still restarted. One more, and it is `failed`. */
  readonly max: number;
  readonly withinMs: number;
  /** Delay before the first restart. It doubles with each crash within `withinMs`, up to `maxDelayMs`. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** A failed actor is started again at this interval, without end. */
  readonly retryMs: number;
}

export const DEFAULT_RESTART: RestartPolicy = Object.freeze({ max: 5, withinMs: 60_000, firstDelayMs: 50, maxDelayMs: 5_000, retryMs: 60_000 });
