// The session actor, which also tells how much memory its thread holds.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { SessionApi } from '../../actors/session/api.ts';
import session, { type SessionArgs } from '../../actors/session/session.actor.ts';
import { defineActor } from '../../kernel/actor.ts';

export type WeighedSessionApi = SessionApi & {
  /** @returns bytes in the heap and in buffers outside of it, without garbage */
  held(): number;
};

export default defineActor<WeighedSessionApi, SessionArgs>(async (args, ctx) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const actor = await session(args, ctx);
  const held = () => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  return { ...actor, api: { ...(actor.api as SessionApi), held } };
});
