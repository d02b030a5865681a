// The reading side of sessions: a cache over rows, and the note that a session was used. It lives with the owner of the sessions or beside its callers.
import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import type { Reader } from '../../kernel/store/store.ts';
import { userCounter, type Versions } from '../../kernel/versions.ts';
import type { Activity } from './activity.ts';
import type { SessionView } from './api.ts';
import { createCache } from './cache.ts';
import { readRow, type StoredSession } from './rows.ts';

interface ReaderOptions {
  readonly store: Reader;
  readonly clock: Clock;
  readonly activity: Activity;
  /** Absent where other processes write the same rows: then every look is a read. */
  readonly versions: Versions | undefined;
  /** Memory that the sessions held here take at most. */
  readonly cacheBytes: number;
}

export class SessionReader {
  readonly #options: ReaderOptions;
  readonly #cache: ReturnType<typeof createCache<StoredSession>>;

  constructor(options: ReaderOptions) {
    this.#options = options;
    const { versions, cacheBytes } = options;
    this.#cache = createCache(
      versions ? cacheBytes : 0,
      ({ bytes }) => bytes,
      ({ realm, username }) => versions?.read(userCounter(realm, username)) ?? 0,
    );
  }

  /** The session of a cookie, if it lives; counts as activity. */
  async authenticate(id: string, cookieHash: Uint8Array): Promise<SessionView | null> {
    const session = await this.#find(id);
    if (!session || !timingSafeEqual(session.cookieHash, cookieHash)) return null;
    return (await this.#use(session)) ? viewOf(session) : null;
  }

  /** The session of an id, if it lives. @param counts as activity */
  async look(id: string, counts: boolean): Promise<SessionView | null> {
    const session = await this.#find(id);
    if (!session || (counts && !(await this.#use(session)))) return null;
    return viewOf(session);
  }

  forget(id: string): void {
    this.#cache.delete(id);
    this.#options.activity.forget(id);
  }

  /** An expired one is absent at once, whenever its row is removed. */
  async #find(id: string): Promise<StoredSession | undefined> {
    const known = this.#cache.get(id);
    if (known && this.#isAlive(known)) return known;
    // Idle as far as this thread knows: others may have used it since, and have written that.
    if (known) this.#cache.delete(id);
    const session = await this.#cache.fill(id, () => this.#read(id));
    if (!session || this.#isAlive(session)) return session;
    this.forget(id);
    return undefined;
  }

  async #read(id: string): Promise<StoredSession | undefined> {
    const session = await readRow(this.#options.store, id);
    return session && this.#options.activity.known(session);
  }

  #isAlive({ createdAt, use, maxAgeSeconds, maxStaleAgeSeconds }: StoredSession): boolean {
    const now = this.#options.clock.now();
    return now < createdAt + maxAgeSeconds * 1000 && now < use.seenAt + maxStaleAgeSeconds * 1000;
  }

  /** @returns false when its row is gone */
  async #use(session: StoredSession): Promise<boolean> {
    if (await this.#options.activity.note(session)) return true;
    this.forget(session.id);
    return false;
  }
}

function viewOf({ cookieHash: _hash, use: _use, bytes: _bytes, ...view }: StoredSession): SessionView {
  return view;
}
