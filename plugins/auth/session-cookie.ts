// Authenticates a caller by the session cookie, or by its value as a bearer token.
import type { Authenticator } from '../../kernel/http/credential.ts';
import type { AuthContext } from './actors.ts';
import { clientClaims } from './claims.ts';
import { cookieKeys } from './cookie.ts';

export function sessionAuthenticator(ctx: AuthContext): Authenticator {
  return async ({ value }) => {
    const keys = cookieKeys(value);
    const session = keys && (await ctx.actors.session.of(keys.sessionId).authenticate(keys.sessionId, keys.hash));
    if (!session) return undefined;
    const { realm, username, account, realmAccount, scheme, id: sessionId } = session;
    return { credential: 'cookie', realm, username, account, realmAccount, scheme, sessionId, claims: clientClaims(session, ctx.config.issuer) };
  };
}

/** Programs other than browsers may send the cookie's value as `Authorization: Bearer`; a JWT cannot be mistaken for one. Accepted wherever an Authorization header is. */
export function bearerSessionAuthenticator(ctx: AuthContext): Authenticator {
  const authenticate = sessionAuthenticator(ctx);
  return async (presented) => {
    const value = /^Bearer +([A-Za-z0-9_-]{43})$/i.exec(presented.value)?.[1];
    return value === undefined ? undefined : authenticate({ ...presented, value });
  };
}
