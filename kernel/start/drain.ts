// The time between the signal to stop and the stop, in which a load balancer sees that this server is about to stop, and nobody's request is lost.
import type { Clock } from '../clock.ts';

export class Drain {
  readonly #ms: number;
  readonly #clock: Clock;
  #running: Promise<void> | undefined;

  /** @param ms how long requests are served meanwhile; 0: the stop begins at once */
  constructor(ms: number, clock: Clock) {
    this.#ms = ms;
    this.#clock = clock;
  }

  /** /ready says so. */
  get hasBegun(): boolean {
    return this.#running !== undefined;
  }

  /** Settles when the stop may begin. @param ports whose connections end with their next answer */
  run(ports: { drain(): Promise<void> }): Promise<void> {
    this.#running ??= this.#ms === 0 ? Promise.resolve() : this.#wait(ports);
    return this.#running;
  }

  async #wait(ports: { drain(): Promise<void> }): Promise<void> {
    await ports.drain();
    await new Promise<void>((resolve) => this.#clock.setTimeout(resolve, this.#ms));
  }
}
