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
  /** What each took when it was loaded last: estimates err. */
  readonly #measured = new Map<Tenant, number>();
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

  /** If it takes more than was thought, others that rest make room. @param mb what it takes, as measured @returns whether it would fit alone */
  correct(tenant: Tenant, mb: number): boolean {
    if (this.#held.has(tenant)) this.#held.set(tenant, mb);
    this.#measured.set(tenant, mb);
    if (this.#used > this.#maxMb) this.#last = this.#last.then(() => this.#giveBack(tenant)).catch(() => {});
    return mb <= this.#maxMb;
  }

  release(tenant: Tenant): void {
    this.#held.delete(tenant);
  }

  async #giveBack(tenant: Tenant): Promise<void> {
    while (this.#used > this.#maxMb) {
      const [next] = this.#unused().filter((each) => each !== tenant && !each.isBusy);
      if (!next || !(await next.evict())) return;
    }
  }

  /** @returns those that can be unloaded, what rests and was used least recently first */
  #unused(): Tenant[] {
    return [...this.#held.keys()].filter(({ isReady }) => isReady).sort((a, b) => Number(a.isBusy) - Number(b.isBusy) || a.usedAt - b.usedAt);
  }

  async #makeRoom(tenant: Tenant, estimated: number): Promise<void> {
    if (estimated > this.#maxMb)
      throw new Fault('MODEL_FAILED', {
        detail: `the model ${tenant.id} needs about ${Math.ceil(estimated)} MiB of memory; [ai] max_memory_mb allows ${this.#maxMb}`,
      });
    // One that has run before is not refused for what it took then: it has all of the memory.
    const mb = Math.max(estimated, Math.min(this.#measured.get(tenant) ?? 0, this.#maxMb));
    while (this.#used + mb > this.#maxMb) {
      const [next] = this.#unused();
      if (next) await next.evict();
      else await Promise.race([...this.#held.keys()].map((each) => each.settled()));
    }
    this.#held.set(tenant, mb);
  }

  get #used(): number {
    return [...this.#held.values()].reduce((sum, one) => sum + one, 0);
  }
}
