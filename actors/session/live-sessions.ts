// The live sessions as a thread knows them: their rows, a cache of these, and uses that are not written yet.
import { timingSafeEqual } from 'node:crypto';
import { andThen } from '../../kernel/at-once.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log/log-entry.ts';
import type { Reader } from '../../kernel/store/store.ts';
import { userCounter, type Versions } from '../../kernel/versions.ts';
import { Activity } from './activity.ts';
import type { SessionView } from './api.ts';
import { Cache } from './cache.ts';
import { packSession, unpackSession } from './packed-session.ts';
import { readRow, type SessionUse, type StoredSession } from './rows.ts';

/** Sessions that are kept as objects, some 3 MB of them: those in use at the moment. */
const UNPACKED = 2_048;
const NOT_WRITTEN = 'cannot write when sessions were last used';

interface Surroundings {
  readonly store: Reader;
  readonly clock: Clock;
  readonly log: Log;
  /** Undefined if other processes write the same rows; then every lookup reads the row. */
  readonly versions: Versions | undefined;
  /** Upper bound of the memory for cached sessions, in bytes. */
  readonly cacheBytes: number;
  /** Writes uses into their rows. @returns how many of the rows exist */
  write(used: readonly SessionUse[]): Promise<number>;
}

/** Used by the actor that owns the sessions, and in the threads that receive cookies. */
export class LiveSessions {
  readonly #surroundings: Surroundings;
  readonly #cache: Cache<StoredSession>;
  readonly #activity: Activity;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
    const { versions, clock, cacheBytes, write } = surroundings;
    this.#cache = new Cache(
      versions ? cacheBytes : 0,
      ({ bytes }) => bytes,
      // Without versions nothing is kept, and nobody asks.
      ({ realm, username }) => versions?.read(userCounter(realm, username)) as number,
      { unpacked: UNPACKED, pack: packSession, unpack: (id, text) => unpackSession(id, text, this.#activity.unwritten(id)) },
    );
    this.#activity = new Activity(write, clock, (error) => this.#tellUnwritten(error));
  }

  /** The session of a cookie, if it is live; counts as activity. It is there at once if it is in the cache. */
  authenticate(id: string, cookieHash: Uint8Array): SessionView | null | Promise<SessionView | null> {
    const found = this.#find(id);
    return found instanceof Promise ? found.then((session) => this.#prove(session, cookieHash)) : this.#prove(found, cookieHash);
  }

  #prove(session: StoredSession | undefined, cookieHash: Uint8Array): SessionView | null | Promise<SessionView | null> {
    if (!session || !timingSafeEqual(session.cookieHash, cookieHash)) return null;
    const isThere = this.#touch(session);
    if (isThere instanceof Promise) return isThere.then((still) => (still ? viewOf(session) : null));
    return isThere ? viewOf(session) : null;
  }

  /** The session with this id, if it is live. @param counts whether this counts as activity */
  look(id: string, counts: boolean): SessionView | null | Promise<SessionView | null> {
    return andThen(this.#find(id), (session) => {
      if (!session) return null;
      return andThen(!counts || this.#touch(session), (isThere) => (isThere ? viewOf(session) : null));
    });
  }

  /** The session, if it is live. An expired one is never returned, even while its row still exists. */
  #find(id: string): StoredSession | undefined | Promise<StoredSession | undefined> {
    const known = this.#cache.get(id);
    if (known && this.#lives(known)) return known;
    // As far as this thread knows it was idle too long. Others may have used it since then, and their use is in the row.
    if (known) this.#cache.delete(id);
    return this.#load(id);
  }

  async #load(id: string): Promise<StoredSession | undefined> {
    const session = await this.#cache.fill(id, () => this.#read(id));
    if (!session || this.#lives(session)) return session;
    this.forget(id);
    return undefined;
  }

  #lives({ createdAt, use, maxAgeSeconds, maxStaleAgeSeconds }: StoredSession): boolean {
    const now = this.#surroundings.clock.now();
    return now < createdAt + maxAgeSeconds * 1000 && now < use.seenAt + maxStaleAgeSeconds * 1000;
  }

  /** Records that the session is used now. @returns false if the row was written and no longer exists */
  #touch(session: StoredSession): boolean | Promise<boolean> {
    const isThere = this.#activity.note(session);
    return isThere instanceof Promise ? isThere.then((still) => this.#keep(session, still)) : this.#keep(session, isThere);
  }

  #keep({ id }: StoredSession, isThere: boolean): boolean {
    if (!isThere) this.forget(id);
    return isThere;
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
    const session = await readRow(this.#surroundings.store, id);
    return session && this.#activity.addKnownUse(session);
  }

  #tellUnwritten(error: unknown): void {
    this.#surroundings.log.warn({ error: String(error) }, NOT_WRITTEN);
  }
}

/** Made once for each session in the cache, so that callers can keep what they make of it. */
const views = new WeakMap<StoredSession, SessionView>();

/** Written out, because removing members from a copy takes eight times as long. */
function viewOf(session: StoredSession): SessionView {
  const known = views.get(session);
  if (known) return known;
  const { id, realm, username, account, realmAccount, scheme, createdAt, maxAgeSeconds, maxStaleAgeSeconds, jti, roles, extraClaims } = session;
  const view = { id, realm, username, account, realmAccount, scheme, createdAt, maxAgeSeconds, maxStaleAgeSeconds, jti, roles, extraClaims };
  views.set(session, view);
  return view;
}
