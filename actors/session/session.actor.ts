// The owner of sessions: a cache over rows, so that a crash loses nothing but warmth.
import { timingSafeEqual } from 'node:crypto';
import { defineActor } from '../../kernel/actor.ts';
import { Fault } from '../../kernel/fault.ts';
import { userCounter } from '../../kernel/versions.ts';
import { Activity } from './activity.ts';
import type { SessionApi, SessionEnder, SessionView } from './api.ts';
import { createCache } from './cache.ts';
import { listRows } from './lists.ts';
import { endRealmRows, endRows, insertRow, purgeRows, readRow, type SessionQuotas, type StoredSession } from './rows.ts';

export interface SessionArgs {
  /** Memory that the sessions held by this actor take at most, bytes. */
  readonly cacheBytes: number;
  readonly quotas: SessionQuotas;
}

const PURGE_MS = 60_000;

export default defineActor<SessionApi, SessionArgs>(async ({ cacheBytes, quotas }, ctx) => {
  const store = await ctx.openStore();
  const { versions, clock } = ctx;
  // Where other processes write the same rows, or no counters are shared, every look is a read.
  const cache = createCache<StoredSession>(
    store.shared || !versions ? 0 : cacheBytes,
    ({ bytes }) => bytes,
    (session) => versions?.read(userCounter(session.realm, session.username)) ?? 0,
  );
  const activity = new Activity(store, clock, (error) => ctx.log.warn({ error: String(error) }, 'the use of sessions could not be written'));
  const timer = ctx.key === '0' ? purgeRegularly() : undefined;

  function purgeRegularly() {
    const again = () => {
      purge(undefined).catch((error: unknown) => ctx.log.warn({ error: String(error) }, 'expired sessions could not be purged'));
      handle.current = clock.setTimeout(again, PURGE_MS);
    };
    const handle = { current: clock.setTimeout(again, PURGE_MS) };
    return handle;
  }

  /** The session if it lives; an expired one is absent at once, whenever its row is removed. */
  async function find(id: string): Promise<StoredSession | undefined> {
    const known = cache.get(id);
    const session = known ?? (await cache.fill(id, () => read(id)));
    if (!session) return undefined;
    const now = clock.now();
    const { createdAt, use, maxAgeSeconds, maxStaleAgeSeconds } = session;
    if (now < createdAt + maxAgeSeconds * 1000 && now < use.seenAt + maxStaleAgeSeconds * 1000) return session;
    forget(id);
    return undefined;
  }

  async function read(id: string): Promise<StoredSession | undefined> {
    const session = await readRow(store, id);
    return session && activity.known(session);
  }

  async function touch(session: StoredSession): Promise<boolean> {
    if (await activity.note(session)) return true;
    forget(session.id);
    return false;
  }

  function forget(id: string): void {
    cache.delete(id);
    activity.forget(id);
  }

  /** Rows are looked at after what this thread knows is in them; other threads and nodes have written theirs by the time it matters. */
  async function purge(by: SessionEnder | undefined): Promise<number> {
    await activity.settle();
    return purgeRows(store, clock.now(), by);
  }

  const api: SessionApi = {
    async create(session) {
      const begun = await insertRow(store, session, quotas, clock.now());
      if (begun.outcome === 'full') throw new Fault('AUTH_QUOTA_EXCEEDED', { detail: begun.quota });
      if (begun.outcome !== 'made') return false;
      for (const id of begun.ended) forget(id);
      // Another owner of sessions may have them.
      if (begun.ended.length > 0) versions?.bump(userCounter(session.realm, session.username));
      return true;
    },
    async authenticate(id, cookieHash) {
      const session = await find(id);
      if (!session || !timingSafeEqual(session.cookieHash, cookieHash)) return null;
      return (await touch(session)) ? viewOf(session) : null;
    },
    async look(id, counts) {
      const session = await find(id);
      if (!session || (counts && !(await touch(session)))) return null;
      return viewOf(session);
    },
    async end(ids, by) {
      const ended = await endRows(store, ids, by);
      for (const id of ids) forget(id);
      return ended;
    },
    async list(realm, clients, page) {
      await activity.settle();
      return listRows(store, realm, clients, page, clock.now());
    },
    async endRealm(realm, by) {
      const { ended, owners } = await endRealmRows(store, realm, by);
      if (owners) for (const username of owners) versions?.bump(userCounter(realm, username));
      else versions?.bumpAll();
      return ended;
    },
    purge,
  };
  return {
    api,
    async stop() {
      if (timer) clock.clearTimeout(timer.current);
      await activity.stop().catch((error: unknown) => ctx.log.warn({ error: String(error) }, 'the use of sessions could not be written'));
      await store.close();
    },
  };
});

function viewOf({ cookieHash: _hash, use: _use, bytes: _bytes, ...view }: StoredSession): SessionView {
  return view;
}
