// GET /whoami: the claims of the session, as JSON or as a signed token.
import { Fault } from '../../kernel/fault.ts';
import { isAskedFor } from '../../kernel/http/answer/accept.ts';
import { type Caller, requireCaller } from '../../kernel/http/caller/credential.ts';
import type { Asking, Request, Response } from '../../kernel/http/route.ts';
import type { AuthContext } from './actors.ts';

const JWT = 'application/jwt';

export function whoamiHandler(ctx: AuthContext) {
  return async (request: Request): Promise<Response> => {
    const { claims = {} } = requireOwnRealm(request);
    if (!isAskedFor(String(request.headers['accept'] ?? ''), JWT, ['application/json'])) return { status: 200, body: claims };
    return { status: 200, body: await ctx.actors.directory.at('main').sign('session', claims), type: JWT };
  };
}

/** A session is valid in its own realm only. @throws Fault UNAUTHENTICATED if the query names another realm */
export function requireOwnRealm(asking: Asking): Caller {
  const own = requireCaller(asking);
  const { realm } = asking.query;
  if (realm !== undefined && realm !== own.realm) throw new Fault('UNAUTHENTICATED');
  return own;
}
