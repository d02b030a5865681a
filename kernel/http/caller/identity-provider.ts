// Identity providers of the configuration, whose JWTs are credentials (Authorization: Bearer), and the users that their tokens name.
import type { Static } from 'typebox';
import type { Log } from '../../log/log-entry.ts';
import { normalName } from '../../normal-form.ts';
import Type from '../../type.ts';
import { isFetchable } from '../outbound.ts';
import type { Authenticator } from './credential.ts';

const text = () => Type.String({ minLength: 1, maxLength: 2_048 });

/** The members of its table in config.toml. */
export const IDENTITY_PROVIDER = {
  name: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', description: '1 to 64 letters, digits, - and _' }),
  issuer: text(),
  jwks_uri: text(),
  audience: text(),
};

const MEMBERS = Type.Object(IDENTITY_PROVIDER);
type IdentityProvider = Static<typeof MEMBERS>;

interface TokenRequest {
  readonly token: string;
  readonly keySets: readonly { readonly issuer: string; readonly jwksUri: string; readonly audiences: readonly string[] }[];
  readonly algorithms: readonly string[];
  readonly requireIssuer: boolean;
  readonly minRefreshSeconds: number;
  readonly requireKid: boolean;
}

/** Verifies a token with the keys of these providers, as the identity actor does. */
type VerifyToken = (
  request: TokenRequest,
) => Promise<
  { readonly ok: true; readonly claims: Readonly<Record<string, unknown>>; readonly keySet: number } | { readonly ok: false; readonly reason: string }
>;

interface Users<P> {
  /** @returns who vouches for the names of this provider's users; names of different origins are different users */
  origin(provider: P): string;
  /** @returns the account ID of a user, where users own something */
  account?(origin: string, sub: string | undefined, email: string | undefined): string;
  /** @returns what is kept of the token */
  claims?(provider: P, claims: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}

/** Of JWTs of users; `Ed25519` is the newer name of what `EdDSA` mostly means (RFC 9864). */
export const JWT_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];
/** Shortest time between two fetches of a key set: tokens that name unknown keys cannot cause more. */
const REFRESH_SECONDS = 60;
const MAX_NAME_CHARACTERS = 255;

/** @param at place of the list in its section @returns problems that the schema cannot find */
export function providerProblems(at: string, providers: readonly IdentityProvider[]): string[] {
  return [
    ...findRepeated(providers.map(({ name }) => name)).map((index) => `${at}[${index}].name: another provider has the same name; each needs its own`),
    // Two entries for one issuer would leave open which provider's user a token names.
    ...findRepeated(providers.map(({ issuer }) => issuer)).map((index) => `${at}[${index}].issuer: another provider has the same issuer; each needs its own`),
    ...providers.flatMap(({ jwks_uri: uri }, index) =>
      isFetchable(uri) ? [] : [`${at}[${index}].jwks_uri: must be an https address, or an http address of this machine`],
    ),
  ];
}

/** Indices of values that also appear earlier in the list. */
function findRepeated(values: readonly string[]): number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []));
}

export function providerAuthenticator<P extends IdentityProvider>(
  providers: readonly P[],
  { origin: originOf, account: accountOf, claims: keptOf }: Users<P>,
  verify: VerifyToken,
  log: Log,
): Authenticator {
  const request = {
    keySets: providers.map(({ issuer, jwks_uri: jwksUri, audience }) => ({ issuer, jwksUri, audiences: [audience] })),
    algorithms: JWT_ALGORITHMS,
    requireIssuer: true,
    minRefreshSeconds: REFRESH_SECONDS,
    requireKid: true,
  };
  return async ({ value }) => {
    // Three parts: other bearer tokens are not asked about.
    const token = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(value)?.[1];
    if (token === undefined) return undefined;
    const outcome = await verify({ ...request, token });
    const user = outcome.ok ? userIn(outcome.claims) : undefined;
    if (!outcome.ok || user === undefined) {
      log.info({ reason: outcome.ok ? 'neither email nor sub is a valid user name' : outcome.reason }, 'JWT refused');
      return undefined;
    }
    const provider = providers[outcome.keySet] as P;
    const origin = originOf(provider);
    const { email, sub } = user;
    const claims = keptOf?.(provider, outcome.claims);
    const account = accountOf?.(origin, sub, email);
    const more = { ...(account !== undefined && { account }), ...(claims && { claims }) };
    return { credential: 'authorization', realm: '', username: email ?? `sub:${sub}`, scheme: 'jwt', origin, ...more };
  };
}

/** Contains an `@`, and does not begin with `sub:`, as the names of users without a verified address do. */
const ADDRESS = /^(?!sub:).+@/s;

/**
 * Uses `email` only if the provider has verified it: an unverified address may belong to anybody else. `sub` is always required. A user named
 * by `sub` and a user named by an address are two different users.
 */
function userIn({ email, email_verified: isVerified, sub }: Readonly<Record<string, unknown>>): { email?: string; sub?: string } | undefined {
  if (typeof sub !== 'string' || sub === '') return undefined;
  const isAddress = isVerified === true && typeof email === 'string' && ADDRESS.test(email);
  const name = normalName(isAddress ? email : sub);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses control characters.
  if (name === undefined || [...name].length > MAX_NAME_CHARACTERS || /[\u0000-\u001f\u007f-\u009f]/.test(name)) return undefined;
  return isAddress ? { email: name } : { sub: name };
}
