// GET /rights: who the caller is and what they administer, so that a page shows no more than they may do.
import { requireCaller } from '../../kernel/http/caller/credential.ts';
import type { Route } from '../../kernel/http/route.ts';
import Type from '../../kernel/type.ts';
import type { AuthContext } from './actors.ts';
import { rightsOf } from './rights.ts';

const RIGHTS = Type.Object({
  realm: Type.String(),
  username: Type.String(),
  session_id: Type.String({ format: 'uuid' }),
  auth_scheme: Type.Enum(['up', 'jwt', 'cc', 'f2', 'dc']),
  is_super_admin: Type.Boolean({ description: 'administers the whole server' }),
  realms: Type.Array(Type.String(), { description: 'the realms that the caller administers; `_` stands for all' }),
});

export function ownRightsRoute(ctx: AuthContext): Route {
  return {
    method: 'GET',
    path: '/rights',
    auth: ['cookie'],
    tag: 'Sign-in',
    summary: 'Get the user of the session and what they administer',
    responses: { 200: { description: 'the caller', schema: RIGHTS } },
    async handle(request) {
      const { realm, username, sessionId, scheme } = requireCaller(request);
      const { isSuperAdmin, realms } = await rightsOf(ctx, requireCaller(request));
      return { status: 200, body: { realm, username, session_id: sessionId, auth_scheme: scheme, is_super_admin: isSuperAdmin, realms } };
    },
  };
}
