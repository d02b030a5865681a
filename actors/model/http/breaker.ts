// A circuit breaker: after several failures in a row a server elsewhere is left alone for a while, then one request tries it.
import type { Clock } from '../../../kernel/clock.ts';

export interface BreakerLimits {
  readonly maxFailures: number;
  readonly restMs: number;
}

export class Breaker {
  readonly #clock: Clock;
  readonly #limits: BreakerLimits;
  #failures = 0;
  /** While it rests; Infinity while one request tries. */
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, limits: BreakerLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** @returns whether a request may be made now; the first after a rest closes the door behind it until it has ended */
  enter(): boolean {
    if (this.#failures < this.#limits.maxFailures) return true;
    if (this.#clock.monotonic() < this.#restsUntil) return false;
    this.#restsUntil = Number.POSITIVE_INFINITY;
    return true;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  failed(): void {
    this.#failures += 1;
    this.#restsUntil = this.#clock.monotonic() + this.#limits.restMs;
  }

  /** A request that tried ended without saying anything of the server, as a cancelled one does: the next one tries. */
  left(): void {
    if (this.#restsUntil === Number.POSITIVE_INFINITY) this.#restsUntil = this.#clock.monotonic();
  }
}
