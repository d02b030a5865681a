// The live sessions as a thread knows them: their rows, a cache of these, and uses that are not written yet.
import type { ActorContext } from '../../kernel/actor.ts';
import type { Store } from '../../kernel/store/store.ts';
import { userCounter } from '../../kernel/versions.ts';
import { Activity } from './activity.ts';
import { Cache } from './cache.ts';
import { readRow, type StoredSession } from './rows.ts';

const NOT_WRITTEN = 'cannot write when sessions were last used';

export class LiveSessions {
  readonly #store: Store;
  readonly #ctx: ActorContext;
  readonly #cache: Cache<StoredSession>;
  readonly #activity: Activity;

  /** @param cacheBytes upper bound of the memory for cached sessions */
  constructor(store: Store, ctx: ActorContext, cacheBytes: number) {
    this.#store = store;
    this.#ctx = ctx;
    const { versions, clock } = ctx;
    // If other processes write the same rows, or no counters are shared, nothing is cached: every lookup reads the row.
    this.#cache = new Cache(
      store.shared || !versions ? 0 : cacheBytes,
      ({ bytes }) => bytes,
      (session) => versions?.read(userCounter(session.realm, session.username)) ?? 0,
    );
    this.#activity = new Activity(store, clock, (error) => this.#tellUnwritten(error));
  }

  /** The session, if it is live. An expired one is never returned, even while its row still exists. */
  async find(id: string): Promise<StoredSession | undefined> {
    const session = this.#cache.get(id) ?? (await this.#cache.fill(id, () => this.#read(id)));
    if (!session) return undefined;
    const now = this.#ctx.clock.now();
    const { createdAt, use, maxAgeSeconds, maxStaleAgeSeconds } = session;
    if (now < createdAt + maxAgeSeconds * 1000 && now < use.seenAt + maxStaleAgeSeconds * 1000) return session;
    this.forget(id);
    return undefined;
  }

  /** Records that the session is used now. @returns false if the row was written and no longer exists */
  async touch(session: StoredSession): Promise<boolean> {
    if (await this.#activity.note(session)) return true;
    this.forget(session.id);
    return false;
  }

  forget(id: string): void {
    this.#cache.delete(id);
    this.#activity.forget(id);
  }

  /** Writes this thread's due uses before it reads rows. Other threads and nodes write theirs long before a row could seem expired. */
  settle(): Promise<void> {
    return this.#activity.settle();
  }

  stop(): Promise<void> {
    return this.#activity.stop().catch((error: unknown) => this.#tellUnwritten(error));
  }

  async #read(id: string): Promise<StoredSession | undefined> {
    const session = await readRow(this.#store, id);
    return session && this.#activity.known(session);
  }

  #tellUnwritten(error: unknown): void {
    this.#ctx.log.warn({ error: String(error) }, NOT_WRITTEN);
  }
}
