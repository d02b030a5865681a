// The memory of all loaded models together: before one is loaded, those that nobody used for longest are unloaded until it fits.
import { Fault } from '../../kernel/fault.ts';

/** A model as the memory sees it. */
export interface Tenant {
  readonly id: string;
  /** When it was used last. */
  readonly usedAt: number;
  readonly isBusy: boolean;
  /** Whether it is loaded, and can be unloaded. */
  readonly isReady: boolean;
  /** Settles when it is unloaded: at once if nothing runs on it, else when that has ended. @returns false if it was not loaded */
  evict(): Promise<boolean>;
  /** Settles when it is neither on its way into the memory nor out of it. */
  settled(): Promise<void>;
}

export class LoadedMemory {
  readonly #maxMb: number;
  /** MiB. */
  readonly #held = new Map<Tenant, number>();
  /** One after the other: two that are loaded at the same time must not count on the same memory. */
  #last: Promise<void> = Promise.resolve();

  constructor(maxMb: number) {
    this.#maxMb = maxMb;
  }

  /** @param mb what it will take @throws Fault MODEL_FAILED if that is more than there is */
  admit(tenant: Tenant, mb: number): Promise<void> {
    const admitted = this.#last.then(() => this.#makeRoom(tenant, mb));
    this.#last = admitted.catch(() => {});
    return admitted;
  }

  /** @param mb what it takes, as measured */
  correct(tenant: Tenant, mb: number): void {
    if (this.#held.has(tenant)) this.#held.set(tenant, mb);
  }

  release(tenant: Tenant): void {
    this.#held.delete(tenant);
  }

  async #makeRoom(tenant: Tenant, mb: number): Promise<void> {
    if (mb > this.#maxMb)
      throw new Fault('MODEL_FAILED', {
        detail: `the model ${tenant.id} needs about ${Math.ceil(mb)} MiB of memory; [ai] max_memory_mb allows ${this.#maxMb}`,
      });
    while (this.#used + mb > this.#maxMb) {
      const [next] = [...this.#held.keys()].filter(({ isReady }) => isReady).sort((a, b) => Number(a.isBusy) - Number(b.isBusy) || a.usedAt - b.usedAt);
      if (next) await next.evict();
      else await Promise.race([...this.#held.keys()].map((each) => each.settled()));
    }
    this.#held.set(tenant, mb);
  }

  get #used(): number {
    return [...this.#held.values()].reduce((sum, one) => sum + one, 0);
  }
}
