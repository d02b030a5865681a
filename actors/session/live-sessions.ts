// The sessions that live, as a thread knows them: rows, what is cached of them, and their use that no row tells yet.
import type { ActorContext } from '../../kernel/actor.ts';
import type { Store } from '../../kernel/store/store.ts';
import { userCounter } from '../../kernel/versions.ts';
import { Activity } from './activity.ts';
import { Cache } from './cache.ts';
import { readRow, type StoredSession } from './rows.ts';

const NOT_WRITTEN = 'the use of sessions could not be written';

export class LiveSessions {
  readonly #store: Store;
  readonly #ctx: ActorContext;
  readonly #cache: Cache<StoredSession>;
  readonly #activity: Activity;

  /** @param cacheBytes memory that the cached sessions take at most */
  constructor(store: Store, ctx: ActorContext, cacheBytes: number) {
    this.#store = store;
    this.#ctx = ctx;
    const { versions, clock } = ctx;
    // Where other processes write the same rows, or no counters are shared, every look is a read.
    this.#cache = new Cache(
      store.shared || !versions ? 0 : cacheBytes,
      ({ bytes }) => bytes,
      (session) => versions?.read(userCounter(session.realm, session.username)) ?? 0,
    );
    this.#activity = new Activity(store, clock, (error) => this.#tellUnwritten(error));
  }

  /** The session if it lives; an expired one is absent at once, whenever its row is removed. */
  async find(id: string): Promise<StoredSession | undefined> {
    const session = this.#cache.get(id) ?? (await this.#cache.fill(id, () => this.#read(id)));
    if (!session) return undefined;
    const now = this.#ctx.clock.now();
    const { createdAt, use, maxAgeSeconds, maxStaleAgeSeconds } = session;
    if (now < createdAt + maxAgeSeconds * 1000 && now < use.seenAt + maxStaleAgeSeconds * 1000) return session;
    this.forget(id);
    return undefined;
  }

  /** The session is used now. @returns false when its row is gone, as far as that was looked at */
  async touch(session: StoredSession): Promise<boolean> {
    if (await this.#activity.note(session)) return true;
    this.forget(session.id);
    return false;
  }

  forget(id: string): void {
    this.#cache.delete(id);
    this.#activity.forget(id);
  }

  /** Rows are looked at after what this thread knows is in them; other threads and nodes have written theirs by the time it matters. */
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
