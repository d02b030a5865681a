// Sessions beside their callers: a cookie is looked up in the thread that was shown it; uses are written by the owner.
import { defineBeside } from '../../kernel/actor.ts';
import { Activity } from './activity.ts';
import type { SessionApi } from './api.ts';
import { SessionReader } from './reader.ts';
import type { SessionArgs } from './session.actor.ts';

export default defineBeside<SessionApi, SessionArgs>(async ({ cacheBytes }, { openReader, clock, versions, own, log }) => {
  const store = await openReader();
  const write = (used: Parameters<SessionApi['noteUses']>[0]) => own('').noteUses(used);
  const onFailure = (error: unknown) => log.warn({ error: String(error) }, 'the use of sessions could not be written');
  const activity = new Activity(write, clock, onFailure);
  const reader = new SessionReader({ store, clock, activity, versions, cacheBytes });
  return {
    api: {
      authenticate: (id, cookieHash) => reader.authenticate(id, cookieHash),
      look: (id, counts) => reader.look(id, counts),
    },
    async stop() {
      await activity.stop().catch(onFailure);
      await store.close();
    },
  };
});
