// The owner of sessions: a cache over rows, so that a crash loses nothing but warmth.
import { defineActor } from '../../kernel/actor.ts';
import { Fault } from '../../kernel/fault.ts';
import { userCounter } from '../../kernel/versions.ts';
import { Activity } from './activity.ts';
import type { SessionApi, SessionEnder } from './api.ts';
import { listRows } from './lists.ts';
import { SessionReader } from './reader.ts';
import { endRealmRows, endRows, insertRow, purgeRows, type SessionQuotas, type SessionUse, writeSeen } from './rows.ts';

export interface SessionArgs {
  /** Memory that the sessions held by this actor take at most, bytes. */
  readonly cacheBytes: number;
  readonly quotas: SessionQuotas;
}

const PURGE_MS = 60_000;

export default defineActor<SessionApi, SessionArgs>(async ({ cacheBytes, quotas }, ctx) => {
  const store = await ctx.openStore();
  const { versions, clock } = ctx;
  const write = (used: readonly SessionUse[]) => writeSeen(store, used);
  const activity = new Activity(write, clock, (error) => ctx.log.warn({ error: String(error) }, 'the use of sessions could not be written'));
  const reader = new SessionReader({ store, clock, activity, versions: store.shared ? undefined : versions, cacheBytes });
  /** What others have told of uses, until it is written. */
  let noted: Promise<unknown> = Promise.resolve();
  const timer = ctx.key === '0' ? purgeRegularly() : undefined;

  function purgeRegularly() {
    const again = () => {
      purge(undefined).catch((error: unknown) => ctx.log.warn({ error: String(error) }, 'expired sessions could not be purged'));
      handle.current = clock.setTimeout(again, PURGE_MS);
    };
    const handle = { current: clock.setTimeout(again, PURGE_MS) };
    return handle;
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
      for (const id of begun.ended) reader.forget(id);
      // Other threads may have them.
      if (begun.ended.length > 0) versions?.bump(userCounter(session.realm, session.username));
      return true;
    },
    authenticate: (id, cookieHash) => reader.authenticate(id, cookieHash),
    look: (id, counts) => reader.look(id, counts),
    noteUses(used) {
      const written = write(used);
      noted = written.catch(() => 0);
      return written;
    },
    async end(ids, by) {
      const { ended, owners } = await endRows(store, ids, by);
      for (const id of ids) reader.forget(id);
      for (const { realm, username } of owners) versions?.bump(userCounter(realm, username));
      return ended;
    },
    async list(realm, clients, page) {
      await activity.settle();
      await noted;
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
