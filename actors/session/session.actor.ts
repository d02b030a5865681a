// Owns sessions: a cache over rows, so that a crash loses only cached data.
import { defineActor } from '../../kernel/actor.ts';
import { Fault } from '../../kernel/fault.ts';
import { repeat } from '../../kernel/repeat.ts';
import { type BelievedTime, openBelievedTime } from '../../kernel/store/believed-time.ts';
import type { Store } from '../../kernel/store/store.ts';
import type { NewSession, Principal, SessionApi } from './api.ts';
import { listRows } from './lists.ts';
import { LiveSessions } from './live-sessions.ts';
import type { SessionQuotas } from './room.ts';
import { endRealmRows, endRows, insertRow, purgeRows, type SessionUse, writeSeen } from './rows.ts';

export interface SessionArgs {
  /** Upper bound of the memory for cached sessions, in bytes. */
  readonly cacheBytes: number;
  readonly quotas: SessionQuotas;
}

const PURGE_MS = 60_000;
/** The shard that removes expired rows. */
const PURGING_KEY = '0';

interface SessionServer {
  readonly store: Store;
  readonly sessions: LiveSessions;
  readonly quotas: SessionQuotas;
  readonly believedTime: BelievedTime;
  now(): number;
}

export default defineActor<SessionApi, SessionArgs>(async ({ cacheBytes, quotas }, ctx) => {
  const store = await ctx.openStore();
  const { clock, versions, log } = ctx;
  const write = (used: readonly SessionUse[]) => writeSeen(store, used);
  const sessions = new LiveSessions({ store, clock, log, write, cacheBytes, versions });
  /** Uses that other threads report, until they are written. */
  let reported: Promise<unknown> = Promise.resolve();
  const server: SessionServer = { store, sessions, quotas, believedTime: await openBelievedTime(store, clock), now: () => clock.now() };
  const purge = (by?: Principal) => purgeOver(server, by);
  const fail = (error: unknown) => log.warn({ error: String(error) }, 'cannot purge expired sessions; the server will try again');
  const rest = ctx.key === PURGING_KEY ? repeat(clock, PURGE_MS, purge, fail) : undefined;

  const api: SessionApi = {
    create: (session) => createSession(server, session),
    authenticate: (id, cookieHash) => sessions.authenticate(id, cookieHash),
    look: (id, counts) => sessions.look(id, counts),
    noteUses(used) {
      const written = write(used);
      reported = written.catch(() => {});
      return written;
    },
    end: (ids, by) => endSessions(server, ids, by),
    async list(realm, clients, page) {
      await Promise.all([sessions.settle(), reported]);
      return listRows(store, realm, clients, page, clock.now());
    },
    endRealm: (realm, by) => endRealmRows(store, realm, by),
    purge,
  };
  return {
    api,
    async stop() {
      rest?.();
      await sessions.stop();
      await store.close();
    },
  };
});

async function createSession({ store, sessions, quotas, now }: SessionServer, session: NewSession): Promise<boolean> {
  const begun = await insertRow(store, session, quotas, now());
  if (begun.outcome === 'full') throw new Fault('AUTH_QUOTA_EXCEEDED', { detail: begun.quota });
  if (begun.outcome !== 'made') return false;
  for (const id of begun.ended) sessions.forget(id);
  return true;
}

async function endSessions({ store, sessions }: SessionServer, ids: readonly string[], by: Principal): Promise<number> {
  const ended = await endRows(store, ids, by);
  for (const id of ids) sessions.forget(id);
  return ended;
}

/** Who asks for it knows what time it is. */
async function purgeOver({ store, sessions, believedTime, now }: SessionServer, by: Principal | undefined): Promise<void> {
  await sessions.settle();
  await purgeRows(store, by ? now() : believedTime.now(), by);
}
