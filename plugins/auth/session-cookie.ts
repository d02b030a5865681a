// Authenticates a caller by the session cookie, or by its value as a bearer token.
import type { SessionView } from '../../actors/session/api.ts';
import type { Authenticator, Caller } from '../../kernel/http/caller/credential.ts';
import { atOnce } from '../../kernel/runtime/mailbox/remote.ts';
import type { AuthContext } from './actors.ts';
import { clientClaims } from './claims.ts';
import { cookieKeys } from './cookie.ts';

export function sessionAuthenticator(ctx: AuthContext): Authenticator {
  return ({ value }) => {
    const keys = cookieKeys(value);
    if (!keys) return undefined;
    const session = atOnce(ctx.actors.session.of(keys.sessionId)).authenticate(keys.sessionId, keys.hash);
    return session instanceof Promise ? session.then((found) => toCaller(ctx, found)) : toCaller(ctx, session);
  };
}

/** Of the sessions in the memory of this thread: the caller is the same for every request with one of them. */
const callers = new WeakMap<SessionView, Caller>();

function toCaller(ctx: AuthContext, session: SessionView | null): Caller | undefined {
  if (!session) return undefined;
  const known = callers.get(session);
  if (known) return known;
  const caller = callerOf(ctx, session);
  callers.set(session, caller);
  return caller;
}

function callerOf(ctx: AuthContext, session: SessionView): Caller {
  const { realm, username, account, realmAccount, scheme, id: sessionId } = session;
  return { credential: 'cookie', realm, username, account, realmAccount, scheme, sessionId, claims: clientClaims(session, ctx.config.issuer) };
}

/** Programs other than browsers may send the cookie's value as `Authorization: Bearer`; a JWT cannot be mistaken for one. Accepted wherever an Authorization header is. */
export function bearerSessionAuthenticator(ctx: AuthContext): Authenticator {
  const authenticate = sessionAuthenticator(ctx);
  return (presented) => {
    const value = /^Bearer +([A-Za-z0-9_-]{43})$/i.exec(presented.value)?.[1];
    return value === undefined ? undefined : authenticate({ ...presented, value });
  };
}
