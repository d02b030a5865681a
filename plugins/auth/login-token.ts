// Sign-in with a JWT of one of the realm's identity providers.
import type { IdentityProvider } from '../../actors/directory/api.ts';
import { JWT_ALGORITHMS } from '../../kernel/http/caller/identity-provider.ts';
import { sourceOf } from '../../kernel/http/connection/source.ts';
import { composed, normalName } from '../../kernel/normal-form.ts';
import type { AuthContext } from './actors.ts';
import { type LoginEnd, type LoginRequest, refuse } from './login-end.ts';

const REFRESH_SECONDS = 60;
const MAX_NAME_CHARACTERS = 255;

/** The user name is `sub`, or `<issuer>#<sub>` in a realm with several providers, so that users of different providers stay different. */
export async function proveToken(ctx: AuthContext, request: LoginRequest, token: string): Promise<LoginEnd> {
  const id = request.query['realm'] as string;
  const { realm, realmAccount: provenRealm } = await ctx.actors.directory.at('main').findSignIn(id, '', sourceOf(request.address));
  const { idp_params: providers = [], smallest_refresh_interval_seconds: refresh = REFRESH_SECONDS } = realm?.auth_params.jwt_params ?? {};
  if (!realm || providers.length === 0) return refuse(ctx, request, 'the realm has no identity provider', 'jwt');
  const keySets = providers.map(({ jwt_issuer_uri: issuer, jwks_uri: jwksUri, jwt_audience: audience }) => ({
    issuer,
    jwksUri,
    audiences: audience ? [audience] : null,
  }));
  const outcome = await ctx.actors.identity.at('main').verifyJwt({
    token,
    keySets,
    algorithms: JWT_ALGORITHMS,
    requireIssuer: true,
    minRefreshSeconds: refresh,
    requireKid: true,
  });
  if (!outcome.ok) return refuse(ctx, request, outcome.reason, 'jwt');
  const username = nameOf(outcome.claims['sub'], providers, outcome.keySet);
  if (username === undefined) return refuse(ctx, request, 'sub is not a valid user name', 'jwt');
  if (!(await ctx.actors.directory.at('main').opensTo({ realm: id, username, scheme: 'jwt' }))) return refuse(ctx, request, 'not an admin of realm _', 'jwt');
  return { realm, provenRealm, username, scheme: 'jwt', revision: null, roles: [], extraClaims: {} };
}

function nameOf(sub: unknown, providers: readonly IdentityProvider[], index: number): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses control characters.
  if (typeof sub !== 'string' || sub === '' || /[\u0000-\u001f\u007f-\u009f]/.test(sub)) return undefined;
  const name = normalName(providers.length > 1 ? `${providers[index]?.jwt_issuer_uri}#${sub}` : sub);
  if (name === undefined || [...name].length > MAX_NAME_CHARACTERS) return undefined;
  return providers.length > 1 && ownerOf(name, providers) !== index ? undefined : name;
}

/**
 * New realms have no providers whose users could have the same name, but a stored one may have: there the name belongs to the longest issuer with which it
 * begins, and to the first of two that are the same.
 */
function ownerOf(name: string, providers: readonly IdentityProvider[]): number | undefined {
  const fitting = providers
    .map(({ jwt_issuer_uri: issuer }, index) => ({ prefix: `${composed(issuer)}#`, index }))
    .filter(({ prefix }) => name.startsWith(prefix));
  return fitting.toSorted((a, b) => b.prefix.length - a.prefix.length)[0]?.index;
}
