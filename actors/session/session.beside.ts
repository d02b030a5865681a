// Sessions beside their callers: the thread that receives a cookie looks it up itself; the owner writes the uses.
import { defineBeside } from '../../kernel/actor.ts';
import type { SessionApi } from './api.ts';
import { LiveSessions } from './live-sessions.ts';
import type { SessionArgs } from './session.actor.ts';

export default defineBeside<SessionApi, SessionArgs>(async ({ cacheBytes }, { openReader, clock, versions, own, log }) => {
  const store = await openReader();
  const sessions = new LiveSessions({ store, clock, log, versions, cacheBytes, write: (used) => own('').noteUses(used) });
  return {
    api: {
      authenticate: (id, cookieHash) => sessions.authenticate(id, cookieHash),
      look: (id, counts) => sessions.look(id, counts),
    },
    async stop() {
      await sessions.stop();
      await store.close();
    },
  };
});
