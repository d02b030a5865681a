// The claims of a session, as /whoami returns them.
import type { SessionView } from '../../actors/session/api.ts';

/** ClientClaims of the specification; extra claims never replace the server's own. */
export function clientClaims(session: SessionView, issuer: string): Record<string, unknown> {
  const issuedAt = Math.floor(session.createdAt / 1000);
  return {
    ...session.extraClaims,
    iss: issuer,
    sub: session.username,
    aud: [session.realm],
    exp: issuedAt + session.maxAgeSeconds,
    nbf: issuedAt,
    iat: issuedAt,
    jti: session.jti,
    roles: session.roles,
    as_as: session.scheme,
    as_rid: session.realm,
  };
}
