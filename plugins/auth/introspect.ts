// POST /sessions/introspect: returns the session and the claims for a cookie that an API server received from its visitor.
import type { Static } from 'typebox';
import { requireCaller } from '../../kernel/http/caller/credential.ts';
import type { Request, Route } from '../../kernel/http/route.ts';
import Type from '../../kernel/type.ts';
import type { AuthContext } from './actors.ts';
import { clientClaims } from './claims.ts';
import { cookieKeys } from './cookie.ts';
import { rightsOf } from './rights.ts';
import { sessionData } from './session-data.ts';
import { tokenRights } from './sessions.ts';

const BODY = Type.Object({ cookie: Type.String({ maxLength: 4_096 }) }, { additionalProperties: false });

export function introspectRoute(ctx: AuthContext): Route {
  return {
    method: 'POST',
    path: '/sessions/introspect',
    auth: ['cookie', 'app-token'],
    body: BODY,
    handle: async (request: Request<Static<typeof BODY>>) => {
      const caller = requireCaller(request);
      const keys = cookieKeys(request.body.cookie);
      const own = keys !== undefined && keys.sessionId === caller.sessionId;
      const rights = caller.credential === 'app-token' ? tokenRights(caller) : await rightsOf(ctx, caller);
      const seen = keys && (await ctx.actors.session.of(keys.sessionId).look(keys.sessionId, false));
      if (!keys || !seen || !(own || rights.administers(seen.realm))) return { status: 200, body: null };
      // An administrator's look is no use of the session.
      const counts = own || caller.credential === 'app-token';
      const view = counts ? await ctx.actors.session.of(keys.sessionId).authenticate(keys.sessionId, keys.hash) : seen;
      if (!view) return { status: 200, body: null };
      return { status: 200, body: { ...sessionData(view, own ? request.body.cookie : undefined), claims: clientClaims(view, ctx.config.issuer) } };
    },
  };
}
