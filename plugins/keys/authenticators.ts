// The credentials that the key server knows beside those of the authentication service: client certificates, and JWTs of its identity providers.
import type { Authenticators } from '../../kernel/http/authenticate.ts';
import type { Authenticator } from '../../kernel/http/credential.ts';
import { normalName } from '../../kernel/normal-form.ts';
import type { KeysContext } from './actors.ts';

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
/** A key set is fetched at most once in this time, whatever tokens name. */
const REFRESH_SECONDS = 60;
const MOST_NAME = 255;

export function keysAuthenticators(ctx: KeysContext): Authenticators {
  return { certificate, ...(ctx.config.identity_providers.length > 0 ? { authorization: bearer(ctx) } : {}) };
}

const certificate: Authenticator = async ({ certificate: shown }) =>
  shown && { credential: 'certificate', realm: '', username: shown.commonName, scheme: 'cc' };

function bearer(ctx: KeysContext): Authenticator {
  const providers = ctx.config.identity_providers;
  const request = {
    keySets: providers.map(({ issuer, jwks_uri: jwksUri, audience }) => ({ issuer, jwksUri, audiences: [audience] })),
    algorithms: ALGORITHMS,
    requireIssuer: true,
    minRefreshSeconds: REFRESH_SECONDS,
    requireKid: true,
  };
  return async ({ value }) => {
    const token = /^Bearer +([\w~+/.=-]+)$/i.exec(value)?.[1];
    if (token === undefined) return undefined;
    const outcome = await ctx.actors.identity.at('main').verifyJwt({ ...request, token });
    const username = outcome.ok ? nameIn(outcome.claims) : undefined;
    if (!outcome.ok || username === undefined) {
      ctx.log.info({ reason: outcome.ok ? 'neither email nor sub can be a name' : outcome.reason }, 'JWT refused');
      return undefined;
    }
    return { credential: 'authorization', realm: '', username, scheme: 'jwt', origin: providers[outcome.keySet]?.name as string };
  };
}

/** An address that the provider has not verified may be anybody's. `sub` is required beside it. */
function nameIn({ email, email_verified: isVerified, sub }: Record<string, unknown>): string | undefined {
  if (typeof sub !== 'string' || sub === '') return undefined;
  const name = normalName(isVerified === true && typeof email === 'string' && email !== '' ? email : sub);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
  return name === undefined || name.length > MOST_NAME || /[\u0000-\u001f\u007f-\u009f]/.test(name) ? undefined : name;
}
