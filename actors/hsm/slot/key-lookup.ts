// Gets the handle of the key that a call needs: another thread searches for it, or the token unwraps it.
import type { HsmAnswer, TokenKeyName } from '../api.ts';
import type { Token } from '../token/token.ts';
import { isWrapped, type WrappedKeyName } from '../token/unwrapped-keys.ts';
import type { Job } from '../work/job.ts';
import type { Turn } from '../work/turns.ts';
import { AT_ONCE } from '../work/turns.ts';
import { doWork, type Work } from '../work/work.ts';
import type { SlotToken } from './slot-token.ts';
import type { SlotWatch } from './slot-watch.ts';

export type Refused = HsmAnswer<never> & { readonly ok: false };

interface KeyLookupOptions {
  readonly own: SlotToken;
  readonly watch: SlotWatch;
  /** Whether other threads may call the library. */
  hasThreads(): boolean;
  /** Runs a job, after those before it if it is a long one. */
  run<T>(job: Job<T>, turn: Turn): Promise<HsmAnswer<T>>;
}

export class KeyLookup {
  readonly #own: SlotToken;
  readonly #watch: SlotWatch;
  readonly #hasThreads: () => boolean;
  readonly #run: KeyLookupOptions['run'];

  constructor({ own, watch, hasThreads, run }: KeyLookupOptions) {
    this.#own = own;
    this.#watch = watch;
    this.#hasThreads = hasThreads;
    this.#run = run;
  }

  /** The end of the destruction of the key that the call needs. One that has the turn goes first: that waits for the turn. */
  leaving({ key, hasTurn }: Job<unknown>): Promise<unknown> | undefined {
    return key && !hasTurn ? this.#own.handles.leaving(key) : undefined;
  }

  /** Whether the handle of the key, if the call needs one, is there and may be used. */
  isKnown(job: Job<unknown>): boolean {
    this.#own.renew();
    return !job.key || (this.#own.handles.has(job.key) && !this.leaving(job));
  }

  /** @returns why there is none */
  async find(job: Job<unknown>, turn: Turn): Promise<Refused | undefined> {
    const { key } = job;
    if (!key || !(isWrapped(key) || this.#hasThreads())) return undefined;
    for (let leaving = this.leaving(job); leaving; leaving = this.leaving(job)) await leaving;
    if (this.isKnown(job)) return undefined;
    return isWrapped(key) ? this.#unwrap(key, job, turn) : this.#search(key, job, turn);
  }

  /** In another thread, because it may take long. */
  async #search(key: TokenKeyName, { hasTurn }: Job<unknown>, turn: Turn): Promise<Refused | undefined> {
    const { login } = this.#watch;
    const work: Work<'search'> = { name: 'search', args: [key], making: { isMade: false } };
    // Who destroys the key meanwhile waits, so that no handle of a key that is gone is remembered.
    return this.#own.handles.using(key, async () => {
      const found = await this.#run({ work: work as Work, key: undefined, here: (token: Token) => doWork(token, work), hasTurn }, turn);
      if (!found.ok) return found;
      if (login === this.#watch.login && !this.#own.handles.leaving(key)) {
        this.#own.handles.put(key, Buffer.from(found.value.handle));
        this.#own.checks.done(key);
        this.#own.marks.found(key, found.value.mark);
      }
      return undefined;
    });
  }

  /** In this thread, which owns the session that the key lives in. What is there for too long makes room. */
  async #unwrap(key: WrappedKeyName, { hasTurn }: Job<unknown>, turn: Turn): Promise<Refused | undefined> {
    const held = await this.#run({ work: undefined, key: key.wrapped.by, here: (token) => this.#own.hold(token, key), hasTurn }, turn);
    this.sweep();
    return held.ok ? undefined : held;
  }

  /** Destroys the unwrapped keys whose time is over. */
  sweep(): void {
    void this.giveUp(this.#own.unwrapped.due());
  }

  /** Destroys unwrapped keys, each after the uses that run. */
  async giveUp(keys: readonly WrappedKeyName[]): Promise<void> {
    const { handles, unwrapped } = this.#own;
    const destroy = (key: WrappedKeyName) => ({ work: undefined, key: undefined, here: (token: Token) => unwrapped.destroy(token, key) });
    await Promise.all(keys.map((key) => handles.destroying(key, () => this.#run(destroy(key), AT_ONCE))));
  }

  giveUpWrappedBy(key: TokenKeyName): Promise<void> {
    return this.giveUp(this.#own.unwrapped.wrappedBy(key));
  }

  giveUpOf(id: string): Promise<void> {
    return this.giveUp(this.#own.unwrapped.of(id));
  }
}
