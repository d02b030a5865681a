// App tokens outside the store: their value, the digest that is stored, where a request shows one, and the caller one stands for.
import { hash, randomBytes, randomUUID } from 'node:crypto';
import type { NewToken } from '../../../actors/token/api.ts';
import { Fault } from '../../../kernel/fault.ts';
import { appTokenIn } from '../../../kernel/http/app-token.ts';
import type { Authenticator } from '../../../kernel/http/credential.ts';
import type { Request } from '../../../kernel/http/route.ts';
import type { AuthContext } from '../actors.ts';

const VALUE_BYTES = 32;
const VALUE = /^hvs\.[A-Za-z0-9_-]{43}$/;

/** SHA-256, base64url: what the store holds of a token or a secret id. Both are random, so that one round is enough. */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** `hvs.` and 256 random bits; only the digest leaves this thread. */
export function newAppToken(source: string): { value: string; token: NewToken } {
  const value = `hvs.${randomBytes(VALUE_BYTES).toString('base64url')}`;
  return { value, token: { digest: digestOf(value), accessor: randomUUID(), source } };
}

/** @returns undefined for a text that no token of ours can be */
export function appTokenDigest(value: unknown): string | undefined {
  return typeof value === 'string' && VALUE.test(value) ? digestOf(value) : undefined;
}

const BEARER = /^Bearer +([^ ]+)$/i;

/**
 * One request, one credential: the token by any of the names that clients have for it, and nothing else.
 * @throws Fault AUTH_TOKEN_DENIED
 */
export function shownIn(headers: Request['headers']): { readonly value: string; readonly digest: string } {
  const named = appTokenIn(headers);
  const { authorization } = headers;
  const bearer = typeof authorization === 'string' ? (BEARER.exec(authorization)?.[1] ?? null) : undefined;
  const value = named ?? bearer;
  const digest = appTokenDigest(value);
  const differ = named === null || bearer === null || (named !== undefined && bearer !== undefined && named !== bearer);
  if (digest === undefined || differ) throw new Fault('AUTH_TOKEN_DENIED');
  return { value: value as string, digest };
}

/** @throws Fault AUTH_TOKEN_DENIED for a token that cannot be used */
export function usable<T>(found: T | null): T {
  if (found === null) throw new Fault('AUTH_TOKEN_DENIED');
  return found;
}

export function appTokenAuthenticator(ctx: AuthContext): Authenticator {
  return async ({ value }) => {
    const digest = appTokenDigest(value);
    const token = digest === undefined ? null : await ctx.actors.token.of(digest).look(digest);
    if (!token) return undefined;
    const { kind, role, entity, account, policies } = token;
    // Every cluster has service accounts of the same names.
    const username = kind === 'cluster' ? `${role}/${entity}` : role;
    return { credential: 'app-token', realm: '', username, account, scheme: 'token', origin: kind, policies };
  };
}
