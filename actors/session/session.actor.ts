// The owner of sessions: a cache over rows, so that a crash loses nothing but warmth.
import { timingSafeEqual } from 'node:crypto';
import { defineActor } from '../../kernel/actor.ts';
import { Fault } from '../../kernel/fault.ts';
import { userCounter } from '../../kernel/versions.ts';
import type { SessionApi, SessionView } from './api.ts';
import { createCache } from './cache.ts';
import { endRealmRows, endRows, insertRow, listRows, purgeRows, readRow, type SessionQuotas, type StoredSession, touchRow } from './rows.ts';

export interface SessionArgs {
  /** Memory that the sessions held by this actor take at most, bytes. */
  readonly cacheBytes: number;
  readonly quotas: SessionQuotas;
}

const PURGE_MS = 60_000;
/** The idle limit is written at most once per this part of it. */
const TOUCH_PART = 10;

export default defineActor<SessionApi, SessionArgs>(async ({ cacheBytes, quotas }, ctx) => {
  const store = await ctx.openStore();
  const { versions, clock } = ctx;
  // Where other processes write the same rows, or no counters are shared, every look is a read.
  const cache = createCache<StoredSession>(
    store.shared || !versions ? 0 : cacheBytes,
    ({ bytes }) => bytes,
    (session) => versions?.read(userCounter(session.realm, session.username)) ?? 0,
  );
  const timer = ctx.key === '0' ? purgeRegularly() : undefined;

  function purgeRegularly() {
    const purge = () => {
      purgeRows(store, clock.now(), undefined).catch((error: unknown) => ctx.log.warn({ error: String(error) }, 'expired sessions could not be purged'));
      handle.current = clock.setTimeout(purge, PURGE_MS);
    };
    const handle = { current: clock.setTimeout(purge, PURGE_MS) };
    return handle;
  }

  /** The session if it lives; an expired one is absent at once, whenever its row is removed. */
  async function find(id: string): Promise<StoredSession | undefined> {
    const known = cache.get(id);
    const session = known ?? (await cache.fill(id, () => readRow(store, id)));
    if (!session) return undefined;
    const now = clock.now();
    const { createdAt, seenAt, maxAgeSeconds, maxStaleAgeSeconds } = session;
    if (now < createdAt + maxAgeSeconds * 1000 && now < seenAt + maxStaleAgeSeconds * 1000) return session;
    cache.delete(id);
    return undefined;
  }

  async function touch(session: StoredSession): Promise<boolean> {
    const now = clock.now();
    session.seenAt = now;
    if (now - session.writtenAt < (session.maxStaleAgeSeconds * 1000) / TOUCH_PART) return true;
    session.writtenAt = now;
    if (await touchRow(store, session.id, now)) return true;
    cache.delete(session.id);
    return false;
  }

  const api: SessionApi = {
    async create(session) {
      const begun = await insertRow(store, session, quotas, clock.now());
      if (begun.outcome === 'full') throw new Fault('AUTH_QUOTA_EXCEEDED', { detail: begun.quota });
      if (begun.outcome !== 'made') return false;
      for (const id of begun.ended) cache.delete(id);
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
      for (const id of ids) cache.delete(id);
      return ended;
    },
    list: (realm, clients, page) => listRows(store, realm, clients, page, clock.now()),
    async endRealm(realm, by) {
      const { ended, owners } = await endRealmRows(store, realm, by);
      if (owners) for (const username of owners) versions?.bump(userCounter(realm, username));
      else versions?.bumpAll();
      return ended;
    },
    purge: (by) => purgeRows(store, clock.now(), by),
  };
  return {
    api,
    async stop() {
      if (timer) clock.clearTimeout(timer.current);
      await store.close();
    },
  };
});

function viewOf({ cookieHash: _hash, seenAt: _seen, writtenAt: _written, bytes: _bytes, ...view }: StoredSession): SessionView {
  return view;
}
