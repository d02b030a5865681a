// Turns the session cookie of a request into its caller.
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
