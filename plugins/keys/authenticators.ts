// Credentials that the key server accepts in addition to those of the authentication service: client certificates, and JWTs of its identity providers.
import type { Authenticators } from '../../kernel/http/authenticate.ts';
import type { Authenticator } from '../../kernel/http/credential.ts';
import { normalName } from '../../kernel/normal-form.ts';
import { providerId } from '../../kernel/store/account-name.ts';
import type { KeysContext } from './actors.ts';

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
/** Shortest time between two fetches of a key set: tokens that name unknown keys cannot cause more. */
const REFRESH_SECONDS = 60;
const MAX_NAME_CHARACTERS = 255;

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
    const user = outcome.ok ? userIn(outcome.claims) : undefined;
    if (!outcome.ok || user === undefined) {
      ctx.log.info({ reason: outcome.ok ? 'neither email nor sub is a valid user name' : outcome.reason }, 'JWT refused');
      return undefined;
    }
    const origin = providers[outcome.keySet]?.name as string;
    const { email, sub } = user;
    const account = providerId(origin, sub, email);
    return { credential: 'authorization', realm: '', username: email ?? `sub:${sub}`, account, scheme: 'jwt', origin };
  };
}

/** Contains an `@`, and does not begin with `sub:`, as the names of users without a verified address do. */
const ADDRESS = /^(?!sub:).+@/s;

/**
 * Uses `email` only if the provider has verified it: an unverified address may belong to anybody else. `sub` is always required. A user named
 * by `sub` and a user named by an address are two different users.
 */
function userIn({ email, email_verified: isVerified, sub }: Record<string, unknown>): { email?: string; sub?: string } | undefined {
  if (typeof sub !== 'string' || sub === '') return undefined;
  const isAddress = isVerified === true && typeof email === 'string' && ADDRESS.test(email);
  const name = normalName(isAddress ? email : sub);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses control characters.
  if (name === undefined || name.length > MAX_NAME_CHARACTERS || /[\u0000-\u001f\u007f-\u009f]/.test(name)) return undefined;
  return isAddress ? { email: name } : { sub: name };
}
