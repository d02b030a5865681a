// DELETE /sessions: ends the sessions that the caller may end; others count as missing.
import type { SessionView } from '../../actors/session/api.ts';
import type { Caller } from '../../kernel/http/credential.ts';
import type { Request, Response } from '../../kernel/http/route.ts';
import type { AuthContext } from './actors.ts';
import { CLEAR_COOKIE } from './cookie.ts';

export interface EndSessionsBody {
  readonly session_ids: readonly string[];
}

export function endSessionsHandler(ctx: AuthContext) {
  return async ({ body, caller, address }: Request<EndSessionsBody>): Promise<Response> => {
    const { realm, username, scheme, sessionId } = caller as Caller;
    const administered = await ctx.actors.directory.at('main').administered({ realm, username, scheme });
    const mayEnd = (session: SessionView) =>
      administered.includes('_') ||
      administered.includes(session.realm) ||
      (session.realm === realm && session.username === username && session.scheme === scheme);
    const sessions = await Promise.all([...new Set(body.session_ids)].map((id) => ctx.actors.session.of(id).look(id)));
    const ids = sessions.flatMap((session) => (session && mayEnd(session) ? [session.id] : []));
    await Promise.all(ids.map((id) => ctx.actors.session.of(id).end([id], { realm, username, scheme, source: address })));
    return { status: 204, ...(sessionId !== undefined && ids.includes(sessionId) ? { headers: { 'set-cookie': CLEAR_COOKIE } } : {}) };
  };
}
